import { execute } from '../../packages/waymark/src/core/execute.ts'
import { readCode } from '../../packages/waymark/src/annotation/read/read.ts'
import { type AnnotatedFunction, isFunction, sourceFiles } from './annotate.ts'
import { type AskedFunction, type Expectation, expect } from './oracle.ts'
import { createRandom, git, open, type Opened, sample } from './scratch.ts'
import { toCommitId } from '../../packages/waymark/src/git/history/commit-id.ts'

/** How the answers about some functions compare with what git alone says of them. */
export interface Figures {
  functions: number
  answers: number
  inBlame: number
  inLog: number
  /** Same name, but neither blame nor `log -L` leads there. */
  rewritten: string[]
  aboutAnother: string[]
  expected: number
  found: number
  /** At least three lines and a third of the function come from the annotated one. */
  strong: number
  strongFound: number
  missed: string[]
}

const NO_FIGURES = (): Figures => ({
  functions: 0,
  answers: 0,
  inBlame: 0,
  inLog: 0,
  rewritten: [],
  aboutAnother: [],
  expected: 0,
  found: 0,
  strong: 0,
  strongFound: 0,
  missed: [],
})

/** Asks for functions of today: half of them in files that annotated commits still own lines of. */
export async function askFunctions(
  directory: string,
  annotated: readonly AnnotatedFunction[],
  { functions, seed, by }: { functions: number; seed: number; by: 'lines' | 'anchor' },
): Promise<Figures> {
  await using opened = await open(directory)
  const asked = await chooseFunctions(directory, opened, annotated, { functions, seed })
  const figures = NO_FIGURES()
  for (const one of asked) {
    const told = await answersAbout(opened, one, by)
    count(figures, { one, told, annotated, oracle: expect(directory, one, annotated) })
  }
  return figures
}

/** Asks until nothing is left to be traced, as an answer says. */
async function answersAbout(
  { context }: Opened,
  { file, name, lines }: AskedFunction,
  by: 'lines' | 'anchor',
): Promise<ReadonlySet<string>> {
  const where = by === 'lines' ? { lines: `${lines.start}:${lines.end}` } : { anchor: name }
  const asked = { path: file, ...where, max_regions: 200, depth: 0 }
  for (;;) {
    const { regions, notes = [] } = await execute(context, readCode, asked)
    if (notes.some((note) => note.includes('still being traced'))) continue
    const there = regions.filter(({ freshness }) => freshness.state !== 'orphaned')
    return new Set(there.map(({ intent }) => intent))
  }
}

/** How many files are looked at for functions that annotated commits still own lines of. */
const MOST_FILES = 150

/** Most of them with lines of annotated commits, some beside such functions, some anywhere. */
async function chooseFunctions(
  directory: string,
  { repository }: Opened,
  annotated: readonly AnnotatedFunction[],
  { functions, seed }: { readonly functions: number; readonly seed: number },
): Promise<readonly AskedFunction[]> {
  const random = createRandom(seed + 1)
  const head = git(directory, 'rev-parse', 'HEAD').trim()
  const files = sourceFiles(directory)
  const named = new Set(annotated.map(({ file }) => file))
  const own = sample(
    files.filter((file) => named.has(file)),
    MOST_FILES,
    random,
  )
  const others = sample(
    files.filter((file) => !named.has(file)),
    MOST_FILES,
    random,
  )
  const commits = new Set(annotated.map(({ commit }) => commit))
  const [owned, near, far]: AskedFunction[][] = [[], [], []]
  for (const path of [...own, ...others]) {
    const then = await repository.versions.at(toCommitId(head), path)
    if (then === undefined) continue
    const { units } = await repository.outlines.of({ path, ...then })
    const blamed = git(directory, 'blame', '-w', '-s', '-l', '--root', 'HEAD', '--', path)
    const isOwned = blamed.split('\n').map((line) => commits.has(line.slice(0, 40)))
    const hasOwned = isOwned.includes(true) || named.has(path)
    for (const { name, lines } of units.filter(isFunction)) {
      const list = isOwned.slice(lines.start - 1, lines.end).includes(true)
        ? owned
        : hasOwned
          ? near
          : far
      list?.push({ file: path, name, lines })
    }
  }
  const [most, some] = [Math.ceil(functions * 0.6), Math.ceil(functions * 0.25)]
  return [
    ...sample(owned ?? [], most, random),
    ...sample(near ?? [], some, random),
    ...sample(far ?? [], functions - most - some, random),
  ]
}

function count(
  figures: Figures,
  {
    one,
    told,
    annotated,
    oracle: { kept, passed },
  }: {
    readonly one: AskedFunction
    readonly told: ReadonlySet<string>
    readonly annotated: readonly AnnotatedFunction[]
    readonly oracle: Expectation
  },
): void {
  const length = one.lines.end - one.lines.start + 1
  const byId = new Map(annotated.map((each) => [each.id, each]))
  figures.functions += 1
  for (const id of told) {
    const region = byId.get(id)
    if (region === undefined) continue
    figures.answers += 1
    const pair = `${one.file} ${one.name} ← ${region.commit.slice(0, 8)} ${region.file} ${region.name}`
    if (kept.has(id)) figures.inBlame += 1
    else if (passed.has(id)) figures.inLog += 1
    else if (region.name === one.name) figures.rewritten.push(pair)
    else figures.aboutAnother.push(pair)
  }
  for (const [id, lines] of kept) {
    const region = byId.get(id)
    const isStrong = lines >= 3 && lines / length >= 1 / 3
    figures.expected += 1
    if (isStrong) figures.strong += 1
    if (told.has(id)) figures.found += 1
    if (told.has(id) && isStrong) figures.strongFound += 1
    if (told.has(id) || region === undefined) continue
    const mark = isStrong ? '!' : ' '
    figures.missed.push(
      `${mark} ${lines}/${length} ${one.file} ${one.name} ← ${region.commit.slice(0, 8)} ${region.file} ${region.name}`,
    )
  }
}
