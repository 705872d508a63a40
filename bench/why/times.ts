import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { readCode } from '../../packages/waymark/src/annotation/read/read.ts'
import { updateNotes } from '../../packages/waymark/src/annotation/notes/write-notes.ts'
import { median, timed, toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { git, open } from './scratch.ts'

const ROUNDS = 3

/** Milliseconds and multiples of `git blame` of the same file, in turns. */
export interface Times {
  readonly annotations: number
  readonly blame: number
  readonly first: number
  readonly firstRatio: number
  readonly warm: number
  readonly warmRatio: number
  /** Annotations that the first answer says are not traced yet. */
  readonly pending: number
}

/** Reads a file with this many annotations on its history: nothing cached, and again. */
export async function timeReads(directory: string, file: string, count: number): Promise<Times> {
  await annotateFile(directory, file, count)
  const blame = () =>
    execFileSync('git', ['-C', directory, 'blame', '--incremental', '-w', 'HEAD', '--', file], {
      maxBuffer: 1 << 28,
    })
  const input = { path: file, lines: '1:40' }
  await using warm = await open(directory)
  await execute(warm.context, readCode, input)
  for (let at = 0; at < 30; at += 1) await execute(warm.context, readCode, input)
  let pending = 0
  const first = async () => {
    rmSync(join(directory, '.git', 'waymark', 'cache'), { recursive: true, force: true })
    await using opened = await open(directory)
    return await timed(async () => {
      const { notes = [] } = await execute(opened.context, readCode, input)
      pending = Number(/^(\d+) more annotations/.exec(notes.join('\n'))?.[1] ?? 0)
    })
  }
  const samples = await takeTurns(ROUNDS, {
    blame: () => timed(async () => blame()),
    warm: () => timed(() => execute(warm.context, readCode, input)),
    first,
  })
  const of = (name: string) => samples.get(name) ?? []
  return {
    annotations: count,
    blame: median(of('blame')),
    first: median(of('first')),
    firstRatio: toRatio(of('first'), of('blame')),
    warm: median(of('warm')),
    warmRatio: toRatio(of('warm'), of('blame')),
    pending,
  }
}

/** One annotation for each of these commits of the file, about a function that it had then. */
async function annotateFile(directory: string, file: string, count: number): Promise<void> {
  await using opened = await open(directory)
  const { repository } = opened
  const commits = git(directory, 'log', '--format=%H', '--', file).trim().split('\n')
  const edits = new Map<string, () => string>()
  for (let at = 0; at < count; at += 1) {
    const commit = commits[Math.floor((at * commits.length) / count)] ?? ''
    const text = await repository.versions.at(commit, file)
    if (text === undefined) continue
    const { units } = await repository.outlines.of({ path: file, ...text })
    const unit = units[at % Math.max(units.length, 1)]
    if (unit === undefined) continue
    const { type, name, lines, contentHash, signatureHash } = unit
    const record = {
      $schema: 'ultragit/v1',
      timestamp: new Date(1_750_000_000_000 + at * 1000).toISOString(),
      id: crypto.randomUUID(),
      commit,
      summary: `Why step ${at} was made`,
      context_level: 'enhanced',
      regions: [
        {
          file,
          ast_anchor: { type, name },
          lines,
          content_hash: contentHash,
          signature_hash: signatureHash,
          intent: `Reason ${at}`,
        },
      ],
    }
    const before = edits.get(commit)?.() ?? ''
    edits.set(commit, () => `${before}${JSON.stringify(record)}\n`)
  }
  const ref = 'refs/notes/waymark'
  await updateNotes(repository, { ref, edits, author: 'bench', message: 'notes', at: 0 })
}
