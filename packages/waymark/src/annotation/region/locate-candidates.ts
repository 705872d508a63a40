import { setImmediate as nextTurn } from 'node:timers/promises'
import { judgeHeir, type Verdict } from '../freshness.ts'
import type { LineRange } from '../record.ts'
import { hasLeft, locateArrival } from '../trace/arrivals.ts'
import { type AnnotatedUnit, type Deadline, NO_DEADLINE } from '../trace/annotated-region.ts'
import { cutAnnotated } from '../trace/kept-lines.ts'
import { isByLines, locateRegion, whatWasAnnotated } from '../trace/locate-region.ts'
import { indexOf } from '../trace/locate-unit.ts'
import { unitsAt } from '../trace/loss.ts'
import { mayBeIn } from '../trace/written-lines.ts'
import type { Code } from '../write/open-code.ts'
import { type Candidate, isNamedIn, keyOf, likelyFirst } from './candidates.ts'
import type { FileView } from './file-view.ts'

export interface Asked {
  readonly deadline: Deadline
  /** Lines of today; undefined for the whole file. */
  readonly ranges: readonly LineRange[] | undefined
}

export interface LocatedCandidate {
  readonly candidate: Candidate
  readonly verdict: Verdict
}

/** The likeliest are looked for however long it takes: answers about ordinary files shall not depend on the machine's load. */
const ALWAYS = 10
/** So many at a time, whose versions git reads without waiting for each other. */
const AT_ONCE = 16

/**
 * Where the regions are today that a question is about, and how many there was no time to look for. The rest is found
 * out in the background, for the next question.
 */
export async function locateCandidates(
  code: Code,
  view: FileView,
  candidates: readonly Candidate[],
  { deadline, ranges }: Asked,
): Promise<{ readonly located: readonly LocatedCandidate[]; readonly pending: number }> {
  const found = new Map<Candidate, Verdict | null | 'elsewhere'>()
  const take = async (wanted: readonly Candidate[], until: Deadline, always: number) => {
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE).map(async (candidate, number) => {
        const limit = at + number < always ? { ...until, isOver: () => false } : until
        const verdict = await locateAsked(code, view, candidate, { deadline: limit, ranges })
        if (verdict !== undefined) found.set(candidate, verdict)
      })
      await Promise.all(some)
      await nextTurn()
    }
  }
  const isOpen = (candidate: Candidate) => {
    const verdict = found.get(candidate)
    return verdict === undefined || (verdict !== 'elsewhere' && verdict?.isPartial === true)
  }
  // The few that need many versions of the file shall not take the time of all others.
  const ordered = likelyFirst(view, candidates, ranges)
  await take(ordered, { ...deadline, isQuick: true }, ALWAYS)
  await take(ordered.filter(isOpen), deadline, candidates.length <= ALWAYS ? ALWAYS : 0)
  code.repository.traces.of(view)?.save()
  const later = ordered.filter((each) => isOpen(each) || found.get(each) === 'elsewhere')
  locateLater(code, view, later)
  return {
    located: candidates.flatMap((candidate) => {
      const verdict = found.get(candidate) ?? 'elsewhere'
      return verdict === 'elsewhere' ? [] : [{ candidate, verdict }]
    }),
    pending: candidates.length - found.size,
  }
}

const SAVED_AFTER = 50

/** Fills the cache for the next question. Errors are left to that question, which reports them. */
function locateLater(code: Code, view: FileView, candidates: readonly Candidate[]): void {
  const traces = code.repository.traces.of(view)
  if (traces === undefined || candidates.length === 0) return
  code.repository.background.add(`trace ${view.path} ${view.file.blob}`, async (signal) => {
    for (const [at, candidate] of candidates.entries()) {
      if (signal.aborted) break
      await locateCached(code, view, candidate, NO_DEADLINE)
      if (at % SAVED_AFTER === SAVED_AFTER - 1) traces.save()
      await nextTurn()
    }
    traces.save()
  })
}

/** Null if the region is not in this file, undefined if there was no time left to find out. */
async function locateAsked(
  code: Code,
  view: FileView,
  candidate: Candidate,
  { deadline, ranges }: Asked,
): Promise<Verdict | null | 'elsewhere' | undefined> {
  const known = code.repository.traces.of(view)?.get(keyOf(candidate))
  if (known !== undefined) return known
  if (deadline.isOver()) return undefined
  if (ranges !== undefined && !(await mayConcern(code, view, candidate, ranges))) {
    return 'elsewhere'
  }
  return await locateCached(code, view, candidate, deadline)
}

/** Whether a region can turn out to be among these lines. */
async function mayConcern(
  { repository }: Code,
  view: FileView,
  candidate: Candidate,
  ranges: readonly LineRange[],
): Promise<boolean> {
  const { commit, region } = candidate
  const { lines, file, content_hash: hash } = region
  const isUnit = region.ast_anchor !== undefined && view.outline.supported && !isByLines(region)
  if (!isUnit || lines === undefined || isNamedIn(view, candidate, ranges)) return true
  if (view.outline.units.some(({ contentHash }) => contentHash === hash)) return true
  const then = await repository.versions.at(commit, file)
  if (then === undefined) return true
  const before = cutAnnotated(then.text, lines)
  return await mayBeIn(repository, candidate, before, { index: indexOf(view), ranges })
}

async function locateCached(
  code: Code,
  view: FileView,
  candidate: Candidate,
  deadline: Deadline,
): Promise<Verdict | null | undefined> {
  const traces = code.repository.traces.of(view)
  const key = keyOf(candidate)
  const known = traces?.get(key)
  if (known !== undefined) return known
  const started = deadline.isOver()
  const verdict = await locate(code, view, candidate, deadline)
  // After the deadline a verdict rests on less than all evidence.
  const isWhole = verdict?.isPartial !== true && !started && !deadline.isOver()
  if (verdict !== undefined && isWhole) traces?.set(key, verdict)
  return verdict
}

async function locate(
  code: Code,
  view: FileView,
  candidate: Candidate,
  deadline: Deadline,
): Promise<Verdict | null | undefined> {
  const { repository } = code
  const { region, commits } = candidate
  const isFromCopy = commits === undefined && region.file !== view.path
  if (isFromCopy && (await hasStayed(code, view, candidate))) return null
  if (commits === undefined && !(isFromCopy && (await isStillThere(code, candidate)))) {
    return await locateRegion(repository, view, candidate, deadline)
  }
  const known = await whatWasAnnotated(repository, candidate)
  if (known.anchor === undefined || !view.outline.supported) return null
  const unit = { ...candidate, code: { ...known, anchor: known.anchor } }
  const same = view.outline.units.find(({ contentHash }) => contentHash === known.contentHash)
  if (same === undefined && !(await mayHaveArrived(code, view, unit))) return null
  if (deadline.isQuick === true || deadline.isOver()) return undefined
  if (!(await hasLeft(code, unit))) return null
  if (same !== undefined) return judgeHeir(known, same, view.path)
  return (await locateArrival(repository, view, unit, commits ?? [])) ?? null
}

/** Whether lines of a unit of another file are in this one. */
async function mayHaveArrived(
  { repository }: Code,
  view: FileView,
  unit: AnnotatedUnit,
): Promise<boolean> {
  const { commit, region } = unit
  const then = region.lines && (await repository.versions.at(commit, region.file))
  if (then === undefined || region.lines === undefined) return false
  const before = cutAnnotated(then.text, region.lines)
  const index = indexOf(view)
  const ranges = [{ start: 1, end: index.lines.length }]
  return await mayBeIn(repository, unit, before, { index, ranges })
}

/** Whether the unit was left in a file that this one was split from: it has not come here, whatever became of that file. */
async function hasStayed(
  { repository }: Code,
  { history }: FileView,
  { commit, region: { ast_anchor: anchor } }: Candidate,
): Promise<boolean> {
  const changes = history?.changes ?? []
  const since = changes.findIndex((change) => change.commit === commit)
  for (const [at, change] of changes.slice(0, Math.max(since, 0)).entries()) {
    const older = changes[at + 1]
    if (older === undefined || older.path === change.path || anchor === undefined) continue
    const left = await unitsAt(repository, change.commit, older.path, anchor.name)
    if (left.length > 0) return true
  }
  return false
}

/** A file that still exists has not become this one, although Git may call it a rename. */
async function isStillThere(
  { repository, head }: Code,
  { region: { file } }: Candidate,
): Promise<boolean> {
  return head !== undefined && (await repository.trees.files(head.id)).has(file)
}
