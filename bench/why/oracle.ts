import type { LineRange } from '../../packages/waymark/src/annotation/record.ts'
import type { AnnotatedFunction } from './annotate.ts'
import { changedLines } from './annotate.ts'
import { git } from './scratch.ts'

export interface AskedFunction {
  readonly file: string
  readonly name: string
  readonly lines: LineRange
}

/** What git alone says of a function: how many of its lines come from each annotated one, and whose history it shares. */
export interface Expectation {
  /** Lines of today's function that `blame -w -M -C` traces to the annotated lines, by the annotation's id. */
  readonly kept: ReadonlyMap<string, number>
  /** Annotations whose lines `log -L` passes on its way back. */
  readonly passed: ReadonlySet<string>
}

export function expect(
  directory: string,
  { file, lines }: AskedFunction,
  annotated: readonly AnnotatedFunction[],
): Expectation {
  const range = `${lines.start},${lines.end}`
  const byCommit = group(annotated)
  const kept = new Map<string, number>()
  const blamed = git(
    directory,
    'blame',
    '-w',
    '-M',
    '-C',
    '--incremental',
    '-L',
    range,
    'HEAD',
    '--',
    file,
  )
  for (const { commit, path, line } of originsIn(blamed)) {
    for (const one of byCommit.get(commit) ?? []) {
      if (one.file !== path || line < one.lines.start || line > one.lines.end) continue
      kept.set(one.id, (kept.get(one.id) ?? 0) + 1)
    }
  }
  const passed = new Set<string>()
  const log = git(directory, 'log', '-L', `${range}:${file}`, '--format=%x01%H')
  for (const entry of log.split('\u0001').slice(1)) {
    const commit = entry.slice(0, entry.indexOf('\n')).trim()
    const own = byCommit.get(commit)
    if (own === undefined) continue
    const shown = changedLines(entry)
    for (const { id, file: path, lines: then } of own) {
      const isPassed = (shown.get(path) ?? []).some(
        ({ start, end }) => start <= then.end && end >= then.start,
      )
      if (isPassed) passed.add(id)
    }
  }
  return { kept, passed }
}

function group(annotated: readonly AnnotatedFunction[]) {
  const groups = new Map<string, AnnotatedFunction[]>()
  for (const one of annotated) groups.set(one.commit, [...(groups.get(one.commit) ?? []), one])
  return groups
}

interface Origin {
  readonly commit: string
  readonly path: string
  readonly line: number
}

function* originsIn(incremental: string): Generator<Origin> {
  let header: RegExpExecArray | null = null
  for (const line of incremental.split('\n')) {
    header ??= /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$/.exec(line)
    if (header === null || !line.startsWith('filename ')) continue
    const [, commit = '', first, , count] = header
    const path = line.slice('filename '.length)
    for (let at = 0; at < Number(count); at += 1) yield { commit, path, line: Number(first) + at }
    header = null
  }
}
