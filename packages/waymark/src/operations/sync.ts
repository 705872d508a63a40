import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Failure } from '../error.ts'
import type { SetAside } from '../git/notes/join-notes.ts'
import { NOTE_UNREADABLE } from '../git/notes/read-notes.ts'
import { REF_DAMAGED } from '../git/refs/damaged-ref.ts'
import { soundTip } from '../git/refs/ref-tip.ts'
import { symbolicBelow } from '../git/refs/tracking-refs.ts'
import type { Repository } from '../git/repository.ts'
import { defineOperation } from '../operation.ts'
import { Progress } from '../progress.ts'
import { LOG_REF, readLog } from '../replica/log-ref.ts'
import { loadLoro } from '../replica/loro.ts'
import {
  fetchRemote,
  findRemote,
  pushRefs,
  type Remote,
  type RemoteNotes,
} from '../replica/remote.ts'
import { takeOverNotes } from './code/take-over-notes.ts'
import { type Incoming, nothingIncoming } from './merge.ts'
import { type LogSync, takeInLog, writeLog } from './sync-log.ts'
import { previewSync } from './sync-preview.ts'
import { takenCounts, takenRemarks, toTakenCounts, toTakenRemarks } from './taken.ts'

/** How often a push is tried again when others are faster each time, and when nothing new comes from the remote. */
const MOST_TRIES = 30
const MOST_FRUITLESS = 8

const count = z.int().min(0)

export const syncReport = z.object({
  remote: z.string().optional().describe('Absent when this repository has no remote'),
  dry_run: z.boolean(),
  received: z
    .object({ ...takenCounts, notes: count.describe('Commits whose annotations grew') })
    .describe('What others did'),
  sent: z.object({ entities: count, pushed: z.boolean() }).describe('What was done here'),
  ...takenRemarks,
  unreadable: z
    .array(z.string())
    .describe('Entities whose history is damaged here; they were not sent'),
  set_aside: z
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
    const { readRefs } = await repository.settings.read(context.code)
    const progress = new Progress(context)
    const sync: LogSync = {
      context,
      loro: loadLoro(),
      repository,
      read: new Set(),
      unreadable: new Set(),
      progress,
    }
    // Only a person may send everything that is known to an address that nobody has set up.
    const onlyNamed = context.agent.surface === 'mcp' || context.agent.surface === 'http'
    const remote = await findRemote(repository, given, { notesRefs: readRefs, onlyNamed })
    await assertSound(repository, remote, readRefs)
    if (remote !== undefined) await fetchAll(sync, remote)
    const report = dry_run
      ? await previewSync(sync, remote)
      : await toReport(sync, remote, await exchange(sync, remote, push))
    const notice = remote?.access.hint
    return notice === undefined ? report : { ...report, notice }
  },
})

interface Exchanged {
  readonly incoming: Incoming
  /** How many commits have got more annotations. */
  notes: number
  /** How many entities have been written to the log. */
  sent: number
  isPushed: boolean
  /** By commit and blob: a note that is met again is told once. */
  readonly setAside: Map<string, SetAside>
}

/** Fetch, take in, write down, push; again from the start whenever somebody else was faster. */
async function exchange(
  sync: LogSync,
  remote: Remote | undefined,
  push: boolean,
): Promise<Exchanged> {
  const { context, repository } = sync
  const exchanged: Exchanged = {
    incoming: nothingIncoming(),
    notes: 0,
    sent: 0,
    isPushed: false,
    setAside: new Map(),
  }
  const { incoming } = exchanged
  const rejected = new RejectedPushes()
  for (let tries = 0; tries < MOST_TRIES && rejected.fruitless < MOST_FRUITLESS; tries++) {
    context.signal.throwIfAborted()
    if (remote !== undefined && tries > 0) await fetchAll(sync, remote)
    const theirs = await readLog(repository, remote?.logRef ?? LOG_REF)
    for (const version of [await readLog(repository), theirs]) {
      await takeInLog(sync, version, incoming)
    }
    const unreadable = new Map<RemoteNotes, Failure>()
    for (const notes of remote?.notes ?? []) {
      try {
        await takeInNotes(sync, notes, exchanged)
      } catch (error) {
        // Notes that cannot be read keep no knowledge from being exchanged; it is told at the end.
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

/** Where the refs of a remote were when it was last asked. */
async function tipsOf({ objects }: Repository, remote: Remote): Promise<string> {
  const refs = [remote.logRef, ...remote.notes.map(({ remoteRef }) => remoteRef)]
  return (await objects.infos(refs)).map((info) => info?.id ?? '-').join(' ')
}

/** Tells pushes that others outran from those that the remote does not take although nothing new comes from it. */
class RejectedPushes {
  #last: string | undefined
  #hasMoved = false
  /** How many in a row have met the remote as it was before. */
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
      ? `others keep pushing to ${name}; everything of theirs is here, try again`
      : `${name} does not let its refs be moved, though nothing new comes from it; if no push is under way there, ` +
        `remove ${LOG_REF}.lock and the locks beside its notes refs in that repository`
    return new Failure('busy', message, { details: { reason: 'push_rejected', remote: name } })
  }
}

function isAboutNotes(error: unknown): error is Failure {
  const reasons: unknown[] = [NOTE_UNREADABLE, REF_DAMAGED]
  return error instanceof Failure && reasons.includes(error.details['reason'])
}

async function takeInNotes(
  { context, repository, progress }: LogSync,
  { ref, remoteRef: from }: RemoteNotes,
  exchanged: Exchanged,
): Promise<void> {
  const taken = await takeOverNotes(context, repository, { ref, from }, progress)
  exchanged.notes += taken.changed
  for (const note of taken.setAside) exchanged.setAside.set(`${note.commit} ${note.hash}`, note)
}

/** Git itself fails over a ref that leads to nothing, and its words name no remedy. */
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
  { incoming, sent, notes, isPushed, setAside }: Exchanged,
): Promise<SyncReport> {
  return {
    ...(remote !== undefined && { remote: remote.name }),
    dry_run: false,
    received: { ...toTakenCounts(incoming), notes },
    sent: { entities: sent, pushed: isPushed },
    ...(await toTakenRemarks(context, incoming)),
    unreadable: [...unreadable],
    set_aside: [...setAside.values()],
  }
}

/** The log is one for all worktrees; a store that one of them keeps to itself has no part in it. */
async function refuseIsolated(repository: Repository): Promise<void> {
  const { commonDir } = repository.layout()
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
