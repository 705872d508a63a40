import { execute } from '../../packages/waymark/src/core/execute.ts'
import type { Unit } from '../../packages/waymark/src/annotation/anchor.ts'
import type { LineRange } from '../../packages/waymark/src/annotation/record.ts'
import { annotateCode } from '../../packages/waymark/src/annotation/write/annotate.ts'
import { languageOf } from '../../packages/waymark/src/annotation/outline/languages.ts'
import type { Repository } from '../../packages/waymark/src/git/repository.ts'
import { createRandom, git, open, sample } from './scratch.ts'
import { toCommitId } from '../../packages/waymark/src/git/history/commit-id.ts'

/** A function that a commit touched, with the lines that it had in that commit. */
export interface AnnotatedFunction {
  /** The intent that the annotation was written with, to know it by. */
  readonly id: string
  readonly commit: string
  readonly file: string
  readonly name: string
  readonly lines: LineRange
  readonly text: string
}

export interface WrittenAnnotations {
  readonly functions: readonly AnnotatedFunction[]
  /** Anchors that were stored under another name, or refused. */
  readonly misplaced: readonly string[]
}

const MOST_FILES = 4
const MOST_FUNCTIONS = 3
const LARGEST_COMMIT = 60
const FUNCTIONS: ReadonlySet<string> = new Set(['function', 'method', 'constructor'])

export const isFunction = ({ type, lines }: Unit): boolean =>
  FUNCTIONS.has(type) && lines.end > lines.start

/** Annotates functions of this many commits: half of them still own lines today, half are any. */
export async function annotateHistory(
  directory: string,
  { commits, seed }: { readonly commits: number; readonly seed: number },
): Promise<WrittenAnnotations> {
  const random = createRandom(seed)
  const chosen = chooseCommits(directory, commits, random)
  const functions: AnnotatedFunction[] = []
  const misplaced: string[] = []
  await using opened = await open(directory)
  for (const commit of chosen) {
    const touched = await functionsTouchedBy(directory, opened.repository, commit)
    const own = sample(touched, MOST_FUNCTIONS, random).map((one, at) => {
      return { ...one, id: `r${functions.length + at}` }
    })
    if (own.length === 0) continue
    const regions = own.map(({ id, file, name, lines }) => ({
      file,
      anchor: name,
      lines: `${lines.start}:${lines.end}`,
      intent: id,
    }))
    try {
      const written = await execute(opened.context, annotateCode, {
        commit,
        summary: `Why ${commit.slice(0, 8)} was made`,
        regions,
      })
      for (const { requested_name: asked, resolved_name: got } of written.anchor_resolutions) {
        if (got !== undefined && got !== asked) misplaced.push(`${asked} → ${got}`)
      }
      functions.push(...own)
    } catch (error) {
      misplaced.push(`${commit.slice(0, 8)}: ${error instanceof Error ? error.message : ''}`)
    }
  }
  return { functions, misplaced }
}

function chooseCommits(directory: string, count: number, random: () => number): readonly string[] {
  const all = git(directory, 'rev-list', '--no-merges', 'HEAD').trim().split('\n')
  const files = sourceFiles(directory)
  const owners = new Set<string>()
  for (const file of sample(files, Math.ceil(count / 2), random)) {
    const blamed = git(directory, 'blame', '-w', '-s', '-l', '--root', 'HEAD', '--', file)
    for (const line of sample(blamed.split('\n'), 3, random)) {
      const id = /^\^?([0-9a-f]{39,64})/.exec(line)?.[1]
      if (id !== undefined) owners.add(id)
    }
  }
  const half = Math.ceil(count / 2)
  const living = sample(
    all.filter((id) => owners.has(id)),
    half,
    random,
  )
  const any = sample(all.slice(0, -1), count - living.length, random)
  return [...new Set([...living, ...any])]
}

export function sourceFiles(directory: string): readonly string[] {
  return git(directory, 'ls-tree', '-r', '--name-only', 'HEAD')
    .split('\n')
    .filter((path) => path !== '' && languageOf(path, '') !== undefined)
}

type Touched = Omit<AnnotatedFunction, 'id'>

async function functionsTouchedBy(
  directory: string,
  repository: Repository,
  commit: string,
): Promise<readonly Touched[]> {
  const changed = changedLines(
    git(directory, 'show', '-U0', '-w', '--format=', '--first-parent', commit),
  )
  if (changed.size > LARGEST_COMMIT) return []
  const touched: Touched[] = []
  const known = [...changed].filter(([file]) => languageOf(file, '') !== undefined)
  for (const [file, ranges] of known.slice(0, MOST_FILES)) {
    const then = await repository.versions.at(toCommitId(commit), file)
    if (then === undefined) continue
    const { units } = await repository.outlines.of({ path: file, ...then })
    const names = units.map(({ name }) => name)
    for (const { name, lines } of innermost(units.filter(isFunction), ranges)) {
      if (names.filter((each) => each === name).length > 1) continue
      const text = then.text
        .split('\n')
        .slice(lines.start - 1, lines.end)
        .join('\n')
      touched.push({ commit, file, name, lines, text })
    }
  }
  return touched
}

/** Functions with changed lines of their own, not only in a function inside them. */
function innermost(units: readonly Unit[], ranges: readonly LineRange[]): readonly Unit[] {
  const found = new Set<Unit>()
  for (const { start, end } of ranges) {
    for (let line = start; line <= end; line += 1) {
      const around = units.filter(({ lines }) => lines.start <= line && lines.end >= line)
      const inner = around.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]
      if (inner !== undefined) found.add(inner)
    }
  }
  return [...found]
}

function sizeOf({ lines }: Unit): number {
  return lines.end - lines.start
}

/** The lines that a patch without context adds, by file. */
export function changedLines(patch: string): ReadonlyMap<string, readonly LineRange[]> {
  const changed = new Map<string, LineRange[]>()
  let file = ''
  for (const line of patch.split('\n')) {
    if (line.startsWith('+++ ')) file = line.startsWith('+++ b/') ? line.slice(6) : ''
    const [, start, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (start === undefined || file === '' || count === '0') continue
    const range = { start: Number(start), end: Number(start) + Number(count) - 1 }
    changed.set(file, [...(changed.get(file) ?? []), range])
  }
  return changed
}
