import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../error.ts'
import type { Repository } from '../git/repository.ts'
import { defineOperation } from '../operation.ts'
import { LOG_REF, readLog } from '../replica/log-ref.ts'
import { loadLoro } from '../replica/loro.ts'
import { mergeNotes } from '../replica/notes-merge.ts'
import { fetchRemote, findRemote, pushRefs, type Remote } from '../replica/remote.ts'
import { type Incoming, nothingIncoming } from './merge.ts'
import { type LogSync, type Sent, takeInLog, writeLog } from './sync-log.ts'
import { previewSync } from './sync-preview.ts'

const NOTES_REF = 'refs/notes/waymark'

/** How often a push is tried again when others are faster each time. */
const MOST_TRIES = 30

const count = z.int().min(0)

export const syncReport = z.object({
  remote: z.string().optional().describe('Absent when this repository has no remote'),
  dry_run: z.boolean(),
  received: z
    .object({
      created: count,
      updated: count,
      deleted: count,
      purged: count,
      relations: count.describe('Relations that came or went'),
      notes: count.describe('Commits whose annotations grew'),
    })
    .describe('What others did'),
  sent: z.object({ entities: count, pushed: z.boolean() }).describe('What was done here'),
  renumbered: z
    .array(z.object({ id: z.string(), from: z.int(), to: z.int() }))
    .describe('Entities that share their number with an older one and got another'),
  waiting: count.describe('Changes that build on others which have not arrived'),
  damaged: count.describe('Lines of the log that cannot be read'),
  not_understood: z.array(z.string()).describe('Entities that a newer version wrote'),
})
export type SyncReport = z.output<typeof syncReport>

export const runSync = defineOperation({
  name: 'sync.run',
  summary:
    'Exchange knowledge and annotations with a Git remote; nothing in the working tree changes',
  effect: 'write',
  input: z.object({
    remote: z.string().optional().describe('Name, path or address; origin when there is one'),
    push: z.boolean().default(true).describe('Send what was done here'),
    dry_run: z.boolean().default(false).describe('Only say what would come and go'),
  }),
  output: syncReport,
  positional: ['remote'],
  async run(context, { remote: given, push, dry_run }) {
    if (context.code === undefined) throw notInGit()
    const repository = await context.code.repository()
    await refuseIsolated(repository)
    const sync = { context, repository, loro: loadLoro(), read: new Set<string>() }
    const remote = await findRemote(repository, given, NOTES_REF)
    if (remote !== undefined) await fetchRemote(repository, remote, NOTES_REF)
    if (dry_run) return await previewSync(sync, remote)
    const state = await exchange(sync, remote, push)
    return await toReport(context, remote, state)
  },
})

interface Exchanged {
  readonly incoming: Incoming
  readonly sent: Sent
  readonly notes: number
  readonly isPushed: boolean
}

/** Fetch, take in, write down, push; again from the start whenever somebody else was faster. */
async function exchange(
  sync: LogSync,
  remote: Remote | undefined,
  push: boolean,
): Promise<Exchanged> {
  const { context, repository } = sync
  const incoming = nothingIncoming()
  let notes = 0
  let entities = 0
  let segments = 0
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    context.signal.throwIfAborted()
    if (remote !== undefined && tries > 0) await fetchRemote(repository, remote, NOTES_REF)
    const theirs = await readLog(repository, remote?.logRef ?? LOG_REF)
    for (const version of [await readLog(repository), theirs]) {
      await takeInLog(sync, version, incoming)
    }
    notes += await takeInNotes(repository, remote, context.now())
    const sent = await writeLog(sync, theirs, new Set(incoming.late))
    if (sent === undefined) continue
    entities += sent.entities
    segments += sent.segments
    const done = { incoming, sent: { entities, segments }, notes }
    if (remote === undefined || !push) return { ...done, isPushed: false }
    if (await pushAll(repository, remote)) return { ...done, isPushed: true }
    await sleep(20 + 100 * Math.random() * Math.min(tries + 1, 10))
  }
  throw new Failure('busy', 'others keep pushing to the same remote; everything of theirs is here')
}

async function takeInNotes(
  repository: Repository,
  remote: Remote | undefined,
  at: number,
): Promise<number> {
  if (remote === undefined) return 0
  return await mergeNotes(repository, { ref: NOTES_REF, remoteRef: remote.notesRef, at })
}

async function pushAll(repository: Repository, remote: Remote): Promise<boolean> {
  const pairs = [
    [LOG_REF, remote.logRef],
    [NOTES_REF, remote.notesRef],
  ] as const
  const changed: string[] = []
  for (const [ref, remoteRef] of pairs) {
    const [ours, theirs] = await repository.objects.infos([ref, remoteRef])
    if (ours !== undefined && ours.id !== theirs?.id) changed.push(ref)
  }
  return changed.length === 0 || (await pushRefs(repository, remote, changed))
}

async function toReport(
  context: Context,
  remote: Remote | undefined,
  { incoming, sent, notes, isPushed }: Exchanged,
): Promise<SyncReport> {
  const { created, updated, deleted, purged, relations } = incoming
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: false,
    received: { created, updated, deleted, purged, relations, notes },
    sent: { entities: sent.entities, pushed: isPushed },
    renumbered: [...incoming.renumbered],
    waiting: await context.store.replica.countStrays(),
    damaged: incoming.damaged,
    not_understood: [...new Set(incoming.notUnderstood)],
  }
}

/** The log is one for all worktrees; a store that one of them keeps to itself has no part in it. */
async function refuseIsolated(repository: Repository): Promise<void> {
  const { commonDir } = await repository.layout()
  if (relative(commonDir, repository.stateDir) === 'waymark') return
  throw new Failure(
    'conflict',
    'this worktree keeps its knowledge to itself; `waymark store promote` adds it to what is shared',
    { details: { reason: 'isolated' } },
  )
}

function notInGit(): Failure {
  return new Failure('not_initialised', 'not a Git repository: there is nothing to exchange with')
}
