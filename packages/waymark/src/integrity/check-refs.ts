import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { counted } from '../core/show.ts'
import { inspectNotes } from '../annotation/notes/inspect-notes.ts'
import { NotesTree } from '../annotation/notes/notes-tree.ts'
import { inspectRef, type RefDamage } from '../git/refs/inspect-ref.ts'
import { findRefLocks, removeRefLock } from '../git/refs/ref-locks.ts'
import { gitRemedy } from '../git/refs/remedy.ts'
import type { RefState } from '../git/refs/ref-state.ts'
import { replaceRef, valueOf } from '../git/refs/replace-ref.ts'
import { trackingRefs } from '../git/refs/tracking-refs.ts'
import type { Repository } from '../git/repository.ts'
import { LOG_REF } from '../sync/log/log-ref.ts'
import { copyNotes } from '../annotation/notes/copy-notes.ts'
import { inspectLog, repairLog } from './repair-log.ts'
import { type NotesRepair, repairNotes } from './repair-notes.ts'

interface RefCheck {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
  readonly fix?: string
}

export interface RefChecks {
  readonly checks: readonly RefCheck[]
  /** Whether the log can be read, and checked further. */
  readonly isLogReadable: boolean
}

const NAME = 'git refs'

/** Checks that Waymark's refs resolve to objects of the right kind; `repair` rewrites broken ones. */
export async function checkRefs(context: Context, repair: boolean): Promise<RefChecks> {
  const { code } = context
  if (code === undefined) {
    const message = 'not in a Git repository'
    return { checks: [{ name: NAME, status: 'ok', message }], isLogReadable: false }
  }
  try {
    const repository = await code.repository()
    const notesRefs = await findNotesRefs(context, repository)
    const tracking = await trackingRefs(repository, notesRefs)
    const refs = [LOG_REF, ...notesRefs, ...tracking]
    const place: Place = { context, repository, repair }
    const checks = [...checkLocks(place, refs)]
    for (const ref of tracking) checks.push(...(await checkTracking(place, ref)))
    for (const ref of notesRefs) checks.push(...(await checkNotesRef(place, ref)))
    const log = await checkLogRef(place)
    checks.push(...log)
    const isLogReadable = log.every(({ status }) => status !== 'failed')
    if (checks.length > 0) return { checks, isLogReadable }
    const message = `${counted(refs.length, 'ref')}, and all that they lead to is there`
    return { checks: [{ name: NAME, status: 'ok', message }], isLogReadable }
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return { checks: [gitFailed(error, context)], isLogReadable: false }
  }
}

/** Refs from the settings and from the process's options. */
async function findNotesRefs(
  { code, store }: Context,
  repository: Repository,
): Promise<readonly string[]> {
  const { readRefs } = await repository.settings.read(code)
  return [...new Set([...readRefs, ...(await store.annotations.refs())])]
}

interface Place {
  readonly context: Context
  readonly repository: Repository
  readonly repair: boolean
}

/** Git may hold a lock for a moment. */
const LONGEST_HELD_MS = 60_000
/** A lock this old is removed when a repair is asked for. */
const SURELY_STALE_MS = 10 * 60_000

function* checkLocks(
  { context, repository, repair }: Place,
  refs: readonly string[],
): Generator<RefCheck> {
  for (const lock of findRefLocks(repository, refs, context.now())) {
    if (lock.ageMs < LONGEST_HELD_MS) continue
    const message = `${lock.path} has been there for ${words(lock.ageMs)}; while it is, no git can move the ref`
    const name = 'ref lock'
    const isStale = lock.ageMs >= SURELY_STALE_MS
    if (repair && isStale) {
      removeRefLock(repository, lock)
      yield { name, status: 'warning', message: `${message}; removed` }
    } else {
      const way = isStale ? 'waymark doctor --repair, which removes it' : `remove ${lock.path}`
      yield { name, status: 'failed', message, fix: `if no git process runs, ${way}` }
    }
  }
}

function words(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 120) return `${minutes} minutes`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`
}

/** Remote-tracking refs: they can be fetched again. */
async function checkTracking(
  { context, repository, repair }: Place,
  ref: string,
): Promise<RefCheck[]> {
  const { state, damage } = await inspectRef(repository, ref)
  if (damage === undefined) return []
  if (!repair) return [broken(ref, damage, 'removes it; the next sync fetches it again')]
  await replaceRef(repository, { ref, to: undefined, at: context.now() })
  const after = await inspectRef(repository, ref)
  if (after.damage !== undefined) return [notRepaired(ref, after.damage)]
  const message = `${damage.problem}; removed, the next waymark sync fetches it again${was(state)}`
  return [{ name: ref, status: 'warning', message }]
}

const MOST_TRIES = 3

async function checkNotesRef(place: Place, ref: string): Promise<RefCheck[]> {
  const { context, repository, repair } = place
  for (let tries = 1; ; tries += 1) {
    const inspected = await inspectNotes(repository, ref)
    const { state } = inspected
    const damage = inspected.damage ?? (await missing(place, ref, state))
    if (damage === undefined) return await checkAside(repository, ref, state)
    if (!repair)
      return [
        broken(ref, damage, 'writes the notes again from what is left in Git and in the store'),
      ]
    const before = (await context.store.annotations.counts([ref])).records
    const done = await repairNotes(context, repository, { ref, state })
    if (done === undefined && tries < MOST_TRIES) continue
    const { damage: left } = await inspectNotes(repository, ref)
    if (done === undefined || left !== undefined) return [notRepaired(ref, left ?? damage)]
    const copied = await copyNotes(context, repository, ref)
    const after = (await context.store.annotations.counts([ref])).records
    if (copied.damage !== undefined || after < before) {
      const problem = copied.damage?.message ?? `${before - after} annotations are still missing`
      return [notRepaired(ref, { problem, isSymbolic: false })]
    }
    return [
      { name: ref, status: 'warning', message: `${damage.problem}; ${toWords(done)}${was(state)}` },
    ]
  }
}

/** Versions of notes that came from a remote and exceed a bound. */
async function checkAside(
  repository: Repository,
  ref: string,
  state: RefState,
): Promise<RefCheck[]> {
  const tip = state.kind === 'commit' ? state.id : undefined
  const aside = await new NotesTree(repository, tip).allAside()
  if (aside.length === 0) return []
  const named = aside
    .slice(0, SHOWN)
    .map(([commit, blob]) => `${commit.slice(0, 12)} (${blob.slice(0, 12)})`)
  const message = `${aside.length} versions of notes exceed a bound and are set aside: ${named.join(', ')}`
  return [{ name: ref, status: 'warning', message, fix: 'git cat-file blob <hash> shows one' }]
}

/** The ref is gone, but notes were copied from it. */
async function missing(
  { context }: Place,
  ref: string,
  state: RefState,
): Promise<RefDamage | undefined> {
  if (state.kind !== 'absent') return undefined
  const notes = (await context.store.annotations.blobsOf(ref)).size
  if (notes === 0) return undefined
  return {
    problem: `it is gone, but the store has a copy of its ${counted(notes, 'note')}`,
    isSymbolic: false,
  }
}

const SHOWN = 5

function toWords({ restored, lost, isRemoved }: NotesRepair): string {
  if (isRemoved) {
    return 'nothing of its notes can be read here, so the ref was removed; waymark sync brings back what a remote has'
  }
  const written = `${counted(restored, 'note')} restored from older versions or the store`
  if (lost.length === 0) {
    return restored === 0
      ? 'repaired: the ref leads to its latest readable version again, which has every note'
      : `repaired: ${written}`
  }
  const named = lost
    .slice(0, SHOWN)
    .map((commit) => commit.slice(0, 12))
    .join(', ')
  const commits = counted(lost.length, 'commit')
  return `${written}; nothing is left here of the notes of ${commits}: ${named}; waymark sync brings back what a remote has`
}

async function checkLogRef({ context, repository, repair }: Place): Promise<RefCheck[]> {
  const { state, damage } = await inspectLog(repository)
  if (damage === undefined) return []
  const way =
    'makes a log of what is left of it; the next sync writes what it lacks, which is all in the store'
  if (!repair) return [broken(LOG_REF, damage, way)]
  const kept = await repairLog(context, repository, state)
  const { damage: left } = await inspectLog(repository)
  if (kept === undefined || left !== undefined) return [notRepaired(LOG_REF, left ?? damage)]
  const message = `${damage.problem}; repaired: ${kept} segments were kept, and the next waymark sync writes what it lacks${was(state)}`
  return [{ name: LOG_REF, status: 'warning', message }]
}

function broken(name: string, { problem, isSymbolic }: RefDamage, way: string): RefCheck {
  const left = isSymbolic ? ', and leaves what it stands for alone' : ''
  return {
    name,
    status: 'failed',
    message: problem,
    fix: `waymark doctor --repair, which ${way}${left}`,
  }
}

function notRepaired(name: string, { problem }: RefDamage): RefCheck {
  return {
    name,
    status: 'failed',
    message: `${problem}; the repair did not help`,
    fix: 'see what git fsck says',
  }
}

/** The ref's old value, for manual recovery. */
function was(state: RefState): string {
  return state.kind === 'absent'
    ? ''
    : `; it was ${JSON.stringify(valueOf(state).trim().slice(0, 100))}`
}

function gitFailed(error: Failure, { project }: Context): RefCheck {
  const fix = gitRemedy(error, project?.root ?? '.')
  return { name: NAME, status: 'failed', message: error.message, ...(fix !== undefined && { fix }) }
}
