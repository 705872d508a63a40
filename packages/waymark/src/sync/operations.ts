import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { NOTE_UNREADABLE } from '../annotation/notes/read-notes.ts'
import { REF_DAMAGED } from '../git/refs/damaged-ref.ts'
import { soundTip } from '../git/refs/ref-tip.ts'
import { symbolicBelow } from '../git/refs/tracking-refs.ts'
import type { Repository } from '../git/repository.ts'
import { defineOperation } from '../core/operation.ts'
import { Progress } from '../core/progress.ts'
import { LOG_REF, readLog } from './log/log-ref.ts'
import type { LogVersion } from './log/log-tree.ts'
import { loadLoro } from './document/loro.ts'
import { readSyncSettings } from './settings.ts'
import { refuseOtherProject } from './remote/other-project.ts'
import { noteUnpushed, pushAll, RejectedPushes, tipsOf } from './remote/push.ts'
import { fetchRemote, findRemote, type Remote, type RemoteNotes } from './remote/remote.ts'
import { fetchNews, readTips, type RemoteTips } from './remote/remote-tips.ts'
import { unattended } from './remote/unattended.ts'
import { takeOverNotes } from '../annotation/merge/take-over-notes.ts'
import { emptyMergeReport } from './merge/merge.ts'
import { settlePurges } from './merge/purge-requests.ts'
import { type LogSync, applyLog, writeLog } from './log-exchange.ts'
import { noteOwner } from './note-owner.ts'
import { findUnpushed, previewSync } from './preview.ts'
import { keepCurrent } from './watch.ts'
import { rethrowUntold, settleAtSync } from './settle-claims.ts'
import { showSync } from './show.ts'
import { type Exchanged, type SyncReport, syncReport, toReport } from './view.ts'

/** Push retries while the remote keeps moving, and while it rejects without moving. */
const MOST_TRIES = 30
const MOST_FRUITLESS = 8

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
    dry_run: z.boolean().default(false).describe('Only print what would be received and sent'),
    watch: z
      .boolean()
      .default(false)
      .describe('Keep this clone current until it is stopped; only at the command line'),
    join: z
      .boolean()
      .default(false)
      .describe('Make one project of this and an unrelated log; only at the command line'),
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
  async run(context, { watch, ...input }) {
    if (!watch) return (await syncOnce(context, input)).report
    if (isByTool(context)) throw notByTools('watch', 'keep a clone current')
    let last = await syncOnce(context, input)
    const { remote } = last
    const alone = { ...context, ...(context.code && { code: unattended(context.code) }) }
    const repository = (await alone.code?.repository()) ?? last.repository
    const sync = async (): Promise<void> => {
      last = await syncOnce(alone, input)
      context.logger.info(summarise(last.report))
    }
    if (remote !== undefined) await keepCurrent(context, { repository, remote, sync })
    return last.report
  },
  show: showSync,
})

interface SyncInput extends ExchangeOptions {
  readonly remote?: string | undefined
  readonly dry_run: boolean
  readonly retry_set_aside: boolean
}

interface Synced {
  readonly report: SyncReport
  readonly repository: Repository
  readonly remote: Remote | undefined
}

async function syncOnce(
  context: Context,
  { remote: given, dry_run, retry_set_aside, ...options }: SyncInput,
): Promise<Synced> {
  if (context.code === undefined) throw notInGit()
  // Only a person may accept remote purges, or push to a remote that is not configured.
  const isTool = isByTool(context)
  if (isTool && options.accept_purges)
    throw notByTools('accept_purges', 'erase what others want erased')
  if (isTool && options.join) throw notByTools('join', 'join two projects')
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
  const tips = remote && (await fetchFirst(sync, remote))
  if (!dry_run) await noteOwner(context)
  if (retry_set_aside && !dry_run) {
    await context.store.write(({ replica }) => replica.aside.retryAll())
  }
  const { push } = options
  const settling = { push, remotes }
  const first = dry_run ? undefined : await settleAtSync(context, remote, { ...settling, tips })
  const report = dry_run
    ? await previewSync(sync, remote)
    : await exchange(sync, remote, options).then(
        async (exchanged) => await toReport(sync, remote, exchanged),
        async (error: unknown) => await rethrowUntold(context, first, error),
      )
  if (!dry_run) await context.store.write(({ carried }) => carried.linkTasks())
  // The first exchange makes the remote the one that grants claims.
  const isNew = first !== undefined && (await context.store.leases.shared.state()).readAt === null
  const settled = isNew ? await settleAtSync(context, remote, settling) : first
  const claims = { lost: [...(settled?.lost ?? [])], reopened: [...(settled?.reopened ?? [])] }
  const notices = [
    remote?.access.hint,
    remote?.isReadOnly === true ? onlyRead(remote) : undefined,
    settled?.problem,
  ]
  const notice = notices.filter((text) => text !== undefined).join('; ')
  return { report: { ...report, claims, ...(notice !== '' && { notice }) }, repository, remote }
}

function summarise({ received, sent }: SyncReport): string {
  const came = Object.values(received).reduce((sum, count) => sum + count, 0)
  return `synced: ${came} came, ${sent.entities} went`
}

function isByTool({ agent }: Context): boolean {
  return agent.surface === 'mcp' || agent.surface === 'http'
}

interface ExchangeOptions {
  readonly push: boolean
  readonly join: boolean
  readonly accept_purges: boolean
}

/** Fetch, merge, write the log, push; retried from the start when another push came first. */
async function exchange(
  sync: LogSync,
  remote: Remote | undefined,
  { push: isAsked, join, accept_purges }: ExchangeOptions,
): Promise<Exchanged> {
  const push = isAsked && remote?.isReadOnly !== true
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
    if (remote !== undefined && tries > 0) await fetchRemote(repository, remote)
    const theirs = await readLog(repository, remote?.logRef ?? LOG_REF)
    if (remote !== undefined && !join) await refuseOtherProject(sync, remote, theirs)
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
    if (remote !== undefined) await noteUnpushed(context, sent)
    if (remote !== undefined && push) {
      const notes = remote.notes.filter((each) => !unreadable.has(each))
      const unpushed = await countUnpushed(sync, theirs)
      exchanged.isPushed = await pushAll(sync, { ...remote, notes })
      // Also what an earlier sync has written and could not push.
      if (exchanged.isPushed) exchanged.sent = Math.max(exchanged.sent, unpushed)
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

/** A remote without a log gets all of it, also what was written to it before this clone had a remote. */
async function countUnpushed(sync: LogSync, theirs: LogVersion): Promise<number> {
  if (theirs.tip !== undefined) return (await sync.context.store.replica.pushState.get()).unpushed
  const { tree } = await readLog(sync.repository)
  return (await findUnpushed(sync, tree, theirs)).size
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

/** Looks first: mostly there is nothing to fetch, and the register of claims need not be asked for either. */
async function fetchFirst(
  { context, repository, progress }: LogSync,
  remote: Remote,
): Promise<RemoteTips> {
  progress.phase('fetching')
  const tips = await readTips(repository, remote, { signal: context.signal })
  await fetchNews(repository, remote, tips)
  return tips
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

function onlyRead({ name }: Remote): string {
  return `${name} is only fetched from, because git config waymark.sync.readonly names it`
}

function notByTools(field: 'accept_purges' | 'join' | 'watch', what: string): Failure {
  const remedy = `run waymark sync --${field.replace('_', '-')} at the command line`
  return new Failure('forbidden', `${field}: only a person may ${what}; ${remedy}`, {
    details: { field },
  })
}

function notInGit(): Failure {
  return new Failure('not_initialised', 'not a Git repository: there is nothing to exchange with')
}
