import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { updateNotes } from '../../packages/waymark/src/annotation/notes/write-notes.ts'
import { readChildrenCpu } from '../baton/process-usage.ts'
import { ask, serve } from '../everyday/server.ts'
import { median, timed, toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { git, open } from './scratch.ts'
import { type CommitId, toCommitId } from '../../packages/waymark/src/git/history/commit-id.ts'

const ROUNDS = 3
/** A second file of the same language, which a running server has been asked about. */
const OTHER = 'src/other.ts'

/**
 * What a server has done before the first read. Started: nothing. Listed: told its tools, a second ago, as any host asks before
 * its model can call one. Running: answered about another file.
 */
export const SERVERS = ['started', 'listed', 'running'] as const
export type Server = (typeof SERVERS)[number]

/** A model takes longer to choose its first call. */
const THOUGHT_MS = 1_000

interface FirstRead {
  readonly ms: number
  /** Of the server and of the git processes that it has waited for, in milliseconds. */
  readonly cpu: number
  /** Annotations that the answer says are not traced yet. */
  readonly untraced: number
  /** From the first answer to one that says nothing of that. */
  readonly tracedAfter: number
  readonly warm: number
}

/** Medians, and multiples of `git blame` of the same file in the same round. */
export interface Times {
  readonly annotations: number
  readonly lines: number
  readonly commits: number
  readonly blame: number
  readonly blameCpu: number
  readonly servers: Readonly<Record<Server, Compared>>
  readonly warm: number
  readonly warmRatio: number
}

interface Compared {
  readonly ms: number
  readonly ratio: number
  readonly cpuRatio: number
  readonly untraced: number
  readonly tracedAfter: number
}

/** Asks for some lines of a file with this many annotations on its history: nothing cached, and again. */
export async function timeReads(directory: string, file: string, count: number): Promise<Times> {
  await annotateFile(directory, file, count)
  commitOther(directory)
  const samples = await takeTurns(ROUNDS, {
    blame: async () => blame(directory, file),
    started: () => readFirst(directory, file, 'started'),
    listed: () => readFirst(directory, file, 'listed'),
    running: () => readFirst(directory, file, 'running'),
  })
  const floor = samples.get('blame') ?? []
  const compare = (name: Server): Compared => {
    const own = (samples.get(name) ?? []) as readonly FirstRead[]
    const of = (pick: (read: FirstRead) => number) => median(own.map(pick))
    return {
      ms: of(({ ms }) => ms),
      ratio: toRatio(
        own.map(({ ms }) => ms),
        floor.map(({ ms }) => ms),
      ),
      cpuRatio: toRatio(
        own.map(({ cpu }) => cpu),
        floor.map(({ cpu }) => cpu),
      ),
      untraced: of(({ untraced }) => untraced),
      tracedAfter: of(({ tracedAfter }) => tracedAfter),
    }
  }
  const warm = ((samples.get('running') ?? []) as readonly FirstRead[]).map((read) => read.warm)
  return {
    annotations: count,
    lines: git(directory, 'show', `HEAD:${file}`).split('\n').length - 1,
    commits: Number(git(directory, 'rev-list', '--count', 'HEAD', '--', file)),
    blame: median(floor.map(({ ms }) => ms)),
    blameCpu: median(floor.map(({ cpu }) => cpu)),
    servers: {
      started: compare('started'),
      listed: compare('listed'),
      running: compare('running'),
    },
    warm: median(warm),
    warmRatio: toRatio(
      warm,
      floor.map(({ ms }) => ms),
    ),
  }
}

const BLAMES = 5

/** The mean of a few, because CPU time is counted in steps of ten milliseconds. */
function blame(directory: string, file: string): Pick<FirstRead, 'ms' | 'cpu'> {
  const args = ['-C', directory, 'blame', '--incremental', '-w', 'HEAD', '--', file]
  const [cpu, started] = [readChildrenCpu(process.pid), performance.now()]
  for (let at = 0; at < BLAMES; at += 1) execFileSync('git', args, { maxBuffer: 1 << 28 })
  return {
    ms: (performance.now() - started) / BLAMES,
    cpu: (readChildrenCpu(process.pid) - cpu) / BLAMES,
  }
}

async function readFirst(directory: string, file: string, state: Server): Promise<FirstRead> {
  rmSync(join(directory, '.git', 'waymark', 'cache'), { recursive: true, force: true })
  await using server = await serve(directory)
  if (state === 'running') await ask(server, ['code_why', { path: OTHER }])
  if (state === 'listed') {
    await server.request('tools/list', {})
    await delay(THOUGHT_MS)
  }
  const why = async () =>
    (await ask(server, ['code_why', { path: file, lines: '1:40' }])) as { notes?: string[] }
  const untracedIn = ({ notes = [] }: { notes?: string[] }) =>
    Number(/^(\d+) more annotations/m.exec(notes.join('\n'))?.[1] ?? Number(isLeft(notes)))
  const used = () => server.cpu / 1000 + readChildrenCpu(server.pid)
  const [cpu, started] = [used(), performance.now()]
  const untraced = untracedIn(await why())
  const [ms, first] = [performance.now() - started, used() - cpu]
  const answered = performance.now()
  if (untraced > 0) while (untracedIn(await why()) > 0) await delay(10)
  const tracedAfter = untraced > 0 ? performance.now() - answered : 0
  await why()
  return { ms, cpu: first, untraced, tracedAfter, warm: await timed(why) }
}

/** Whether an answer says that something is left to be traced or parsed. */
function isLeft(notes: readonly string[]): boolean {
  return notes.some((note) => /still being (traced|parsed)/.test(note))
}

function commitOther(directory: string): void {
  writeFileSync(join(directory, OTHER), 'export function other(): number {\n  return 1\n}\n')
  git(directory, 'add', OTHER)
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com']
  git(directory, ...author, 'commit', '--quiet', '-m', 'Another file')
}

/** One annotation for each of these commits of the file, about a function that it had then. */
async function annotateFile(directory: string, file: string, count: number): Promise<void> {
  await using opened = await open(directory)
  const { repository } = opened
  const commits = git(directory, 'log', '--format=%H', '--', file).trim().split('\n')
  const edits = new Map<CommitId, () => string>()
  for (let at = 0; at < count; at += 1) {
    const commit = toCommitId(commits[Math.floor((at * commits.length) / count)] ?? '')
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
