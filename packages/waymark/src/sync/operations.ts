import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import type { SetAside } from '../annotation/notes/note-limits.ts'
import { NOTE_UNREADABLE } from '../annotation/notes/read-notes.ts'
import { REF_DAMAGED } from '../git/refs/damaged-ref.ts'
import { soundTip } from '../git/refs/ref-tip.ts'
import { symbolicBelow } from '../git/refs/tracking-refs.ts'
import type { Repository } from '../git/repository.ts'
import { defineOperation } from '../core/operation.ts'
import { Progress } from '../core/progress.ts'
import { LOG_REF, readLog } from './log/log-ref.ts'
import { loadLoro } from './document/loro.ts'
import { readSyncSettings } from './settings.ts'
import { fetchRemote, findRemote, pushRefs, type Remote, type RemoteNotes } from './remote.ts'
import { takeOverNotes } from '../annotation/merge/take-over-notes.ts'
import { type MergeReport, emptyMergeReport } from './merge/merge.ts'
import { describePurges, purgeView, type PurgeView, settlePurges } from './merge/purge-requests.ts'
import { type LogSync, applyLog, writeLog } from './log-exchange.ts'
import { noteOwner } from './note-owner.ts'
import { previewSync } from './preview.ts'
import {
  readSetAside,
  setAside,
  mergeCounts,
  mergeRemarks,
  toSetAsideView,
  toMergeCounts,
  toMergeRemarks,
} from './merge-report.ts'
import { showSync } from './show.ts'

/** Maximum number of remotely deleted entities that the report names. */
const MOST_NAMED = 20

/** Push retries while the remote keeps moving, and while it rejects without moving. */
const MOST_TRIES = 30
const MOST_FRUITLESS = 8

const count = z.int().min(0)

export const syncReport = z.object({
  remote: z.string().optional().describe('Absent when this repository has no remote'),
  dry_run: z.boolean(),
  received: z
    .object({ ...mergeCounts, notes: count.describe('Commits whose annotations grew') })
    .describe('What others did'),
  sent: z.object({ entities: count, pushed: z.boolean() }).describe('What was done here'),
  ...mergeRemarks,
  purges: z
    .array(purgeView)
    .describe('Entities that another clone has purged; here they wait to be confirmed'),
  deletions: z
    .array(z.object({ id: z.string(), number: z.int(), title: z.string() }))
    .describe('The first entities that were deleted elsewhere; they can be restored'),
  set_aside: setAside.describe(
    'Lines of the log that break a limit or are not signed, and were not taken in',
  ),
  unreadable: z
    .array(z.string())
    .describe('Entities whose history is damaged here; they were not sent'),
  notes_set_aside: z
    .array(
      z.object({
        ref: z.string(),
        commit: z.string(),
        hash: z.string().describe('Blob of the note'),
        problem: z.string(),
      }),
    )
    .describe('Notes that came and exceed a bound: they stay in Git and are not read'),
  notice: z
    .string()
    .optional()
    .describe('Ignored Git settings of the repository that concern the remote, and the remedies'),
})
export type SyncReport = z.output<typeof syncReport>

export const runSync = defineOperation({
  name: 'sync.run',
  summary:
    'Exchange knowledge and annotations with a Git remote; nothing in the working tree changes',
  example: 'origin --dry-run',
  off: { push: 'Only fetch; send nothing' },
  effect: 'write',
  input: z.object({
    remote: z.string().optional().describe('Name, path or address; origin when there is one'),
    push: z.boolean().default(true).describe('Send what was done here'),
    dry_run: z.boolean().default(false).describe('Only say what would come and go'),
    accept_purges: z
      .boolean()
      .default(false)
      .describe('Erase for good what other clones have purged; only at the command line'),
    retry_set_aside: z
      .boolean()
      .default(false)
      .describe('Try again to take in lines that were set aside'),
  }),
  output: syncReport,
  positional: ['remote'],
  async run(context, { remote: given, push, dry_run, accept_purges, retry_set_aside }) {
    if (context.code === undefined) throw notInGit()
    // Only a person may accept remote purges, or push to a remote that is not configured.
    const isTool = context.agent.surface === 'mcp' || context.agent.surface === 'http'
    if (accept_purges && isTool) throw notByTools()
    const repository = await context.code.repository()
    await refuseIsolated(repository)
    const { readRefs } = await repository.settings.read(context.code)
    const progress = new Progress(context)
    const remotes = await repository.remotes()
    const sync: LogSync = {
      context,
      loro: loadLoro(),
      repository,
      settings: readSyncSettings(remotes.user),
      read: new Set(),
      unreadable: new Set(),
      lost: new Set(),
      progress,
    }
    const remote = findRemote(remotes, given, { notesRefs: readRefs, onlyNamed: isTool })
    await assertSound(repository, remote, readRefs)
    if (remote !== undefined) await fetchAll(sync, remote)
    if (!dry_run) await noteOwner(context)
    if (retry_set_aside && !dry_run) {
      await context.store.write(({ replica }) => replica.aside.retryAll())
    }
    const report = dry_run
      ? await previewSync(sync, remote)
      : await toReport(sync, remote, await exchange(sync, remote, { push, accept_purges }))
    const notice = remote?.access.hint
    return notice === undefined ? report : { ...report, notice }
  },
  show: showSync,
})

interface Exchanged {
  readonly incoming: MergeReport
  /** How many commits have got more annotations. */
  notes: number
  /** How many entities have been written to the log. */
  sent: number
  isPushed: boolean
  /** By commit and blob, so that each note is reported once. */
  readonly notesSetAside: Map<string, SetAside>
  /** Ids purged because another clone purged them. */
  readonly purged: PurgeView[]
}

interface ExchangeOptions {
  readonly push: boolean
  readonly accept_purges: boolean
}

/** Fetch, merge, write the log, push; retried from the start when another push came first. */
async function exchange(
  sync: LogSync,
  remote: Remote | undefined,
  { push, accept_purges }: ExchangeOptions,
): Promise<Exchanged> {
  const { context, repository, loro } = sync
  const exchanged: Exchanged = {
    incoming: emptyMergeReport(),
    notes: 0,
    sent: 0,
    isPushed: false,
    purged: [],
    notesSetAside: new Map(),
  }
  const { incoming } = exchanged
  const rejected = new RejectedPushes()
  for (let tries = 0; tries < MOST_TRIES && rejected.fruitless < MOST_FRUITLESS; tries++) {
    context.signal.throwIfAborted()
    if (remote !== undefined && tries > 0) await fetchAll(sync, remote)
    const theirs = await readLog(repository, remote?.logRef ?? LOG_REF)
    await applyLog(sync, await readLog(repository), incoming)
    await applyLog(sync, theirs, incoming, remote?.name)
    exchanged.purged.push(
      ...(await settlePurges(context, loro, { isAccepted: accept_purges, incoming })),
    )
    const unreadable = new Map<RemoteNotes, Failure>()
    for (const notes of remote?.notes ?? []) {
      try {
        await takeInNotes(sync, notes, exchanged)
      } catch (error) {
        // Unreadable notes do not stop the sync; they are reported at the end.
        if (!isAboutNotes(error)) throw error
        unreadable.set(notes, error)
      }
    }
    const [failure] = unreadable.values()
    const sent = await writeLog(sync, theirs, new Set(incoming.late))
    if (sent === undefined) continue
    exchanged.sent += sent
    if (remote !== undefined && push) {
      const notes = remote.notes.filter((each) => !unreadable.has(each))
      exchanged.isPushed = await pushAll(sync, { ...remote, notes })
    }
    if (exchanged.isPushed || remote === undefined || !push) {
      if (failure !== undefined) throw failure
      return exchanged
    }
    rejected.add(await tipsOf(repository, remote))
    await sleep(20 + 100 * Math.random() * Math.min(tries + 1, 10))
  }
  throw rejected.toFailure(remote)
}

/** The tips of the remote's refs at the last fetch. */
async function tipsOf({ objects }: Repository, remote: Remote): Promise<string> {
  const refs = [remote.logRef, ...remote.notes.map(({ remoteRef }) => remoteRef)]
  return (await objects.infos(refs)).map((info) => info?.id ?? '-').join(' ')
}

/** Distinguishes pushes that lost a race from pushes that the remote rejects although its refs did not move. */
class RejectedPushes {
  #last: string | undefined
  #hasMoved = false
  /** Consecutive rejections without a change of the remote's refs. */
  fruitless = 0

  /** `tips`: what the remote had when the push was tried. */
  add(tips: string): void {
    const isSame = tips === this.#last
    this.#hasMoved ||= this.#last !== undefined && !isSame
    this.fruitless = isSame ? this.fruitless + 1 : 0
    this.#last = tips
  }

  toFailure(remote: Remote | undefined): Failure {
    if (remote === undefined || this.#last === undefined) {
      return new Failure('busy', `other processes here keep moving ${LOG_REF}; try again`)
    }
    const { name } = remote
    const message = this.#hasMoved
      ? `push to ${name} rejected because the remote kept moving; remote changes are merged, run \`waymark sync\` again`
      : `${name} does not let its refs be moved, though nothing new comes from it; if no push is under way there, ` +
        `remove ${LOG_REF}.lock and the locks beside its notes refs in that repository`
    return new Failure('busy', message, { details: { reason: 'push_rejected', remote: name } })
  }
}

function isAboutNotes(error: unknown): error is Failure {
  if (!(error instanceof Failure)) return false
  const { reason } = error.details
  return reason === NOTE_UNREADABLE || reason === REF_DAMAGED
}

async function takeInNotes(
  { context, repository, progress }: LogSync,
  { ref, remoteRef: from }: RemoteNotes,
  exchanged: Exchanged,
): Promise<void> {
  const taken = await takeOverNotes(context, repository, { ref, from }, progress)
  exchanged.notes += taken.changed
  for (const note of taken.setAside)
    exchanged.notesSetAside.set(`${note.commit} ${note.hash}`, note)
}

/** Git's own error for a broken ref names no remedy. */
async function assertSound(
  repository: Repository,
  remote: Remote | undefined,
  notesRefs: readonly string[],
): Promise<void> {
  const fetched = remote?.notes.map(({ remoteRef }) => remoteRef) ?? []
  const tracking = remote === undefined ? [] : [remote.logRef, ...fetched]
  const symbolic = symbolicBelow(repository, tracking)
  for (const ref of new Set([LOG_REF, ...notesRefs, ...tracking, ...symbolic])) {
    await soundTip(repository, ref)
  }
}

async function fetchAll({ repository, progress }: LogSync, remote: Remote): Promise<void> {
  progress.phase('fetching')
  await fetchRemote(repository, remote)
}

async function pushAll({ repository, progress }: LogSync, remote: Remote): Promise<boolean> {
  progress.phase('pushing')
  const changed: string[] = []
  for (const { ref, remoteRef } of [{ ref: LOG_REF, remoteRef: remote.logRef }, ...remote.notes]) {
    const [ours, theirs] = await repository.objects.infos([ref, remoteRef])
    if (ours !== undefined && ours.id !== theirs?.id) changed.push(ref)
  }
  return changed.length === 0 || (await pushRefs(repository, remote, changed))
}

async function toReport(
  { context, unreadable }: LogSync,
  remote: Remote | undefined,
  { incoming, sent, notes, isPushed, purged, notesSetAside }: Exchanged,
): Promise<SyncReport> {
  const { damaged, total, lines } = await readSetAside(context)
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: false,
    received: { ...toMergeCounts(incoming), purged: await countAsked(context, incoming), notes },
    sent: { entities: sent, pushed: isPushed },
    ...(await toMergeRemarks(context, incoming)),
    damaged: incoming.damaged + damaged,
    purges: [...purged, ...(await describePurges(context))],
    deletions: toDeletions(incoming),
    set_aside: toSetAsideView(lines, total),
    unreadable: [...unreadable],
    notes_set_aside: [...notesSetAside.values()],
  }
}

function toDeletions({ deletions }: MergeReport): SyncReport['deletions'] {
  const inOrder = deletions.toSorted((a, b) => a.number - b.number)
  return inOrder.slice(0, MOST_NAMED).map(({ id, number, title }) => ({ id, number, title }))
}

/** How many of the entities that others have purged were known here. */
async function countAsked({ store }: Context, { asked }: MergeReport): Promise<number> {
  let count = 0
  for (const id of new Set(asked)) {
    const found = await store.replica.named({ prefix: id.replaceAll('-', '') })
    if (found.length > 0) count += 1
  }
  return count
}

/** All worktrees share the log; a store private to one worktree does not use it. */
async function refuseIsolated(repository: Repository): Promise<void> {
  const { commonDir } = repository.layout()
  if (relative(commonDir, repository.stateDir) === 'waymark') return
  throw new Failure(
    'conflict',
    'this worktree keeps its knowledge to itself; `waymark store promote` adds it to what is shared',
    { details: { reason: 'isolated' } },
  )
}

function notByTools(): Failure {
  const remedy = 'run waymark sync --accept-purges at the command line'
  return new Failure(
    'forbidden',
    `accept_purges: only a person may erase what others want erased; ${remedy}`,
    {
      details: { field: 'accept_purges' },
    },
  )
}

function notInGit(): Failure {
  return new Failure('not_initialised', 'not a Git repository: there is nothing to exchange with')
}
