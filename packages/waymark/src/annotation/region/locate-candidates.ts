import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Unit } from '../anchor.ts'
import { judgeHeir, judgeLines, type Verdict } from '../freshness.ts'
import { overlap } from '../place.ts'
import { isByLines, type LineRange } from '../record.ts'
import { type Deadline, NO_DEADLINE } from '../trace/annotated-region.ts'
import { blamedLines } from '../trace/blamed-lines.ts'
import { isAncestor, locateDescendant } from '../trace/descendant.ts'
import { hasLeft } from '../trace/has-left.ts'
import { locateRegion, traceByBlame, whatWasAnnotated } from '../trace/locate-region.ts'
import type { Search } from '../trace/locate-unit.ts'
import { unitsAt } from '../trace/loss.ts'
import type { Code } from '../write/open-code.ts'
import { settledBy } from './answer-time.ts'
import {
  type Candidate,
  findNamesakes,
  isNamedIn,
  keyOf,
  likelyFirst,
  type Part,
} from './candidates.ts'
import type { FileView } from './file-view.ts'

export interface Asked {
  readonly deadline: Deadline
  /** Lines of today; undefined for the whole file. */
  readonly ranges: readonly LineRange[] | undefined
  /** When to answer with what is known by then; until then, started work is waited for. */
  readonly end: number
}

export interface LocatedCandidate {
  readonly candidate: Candidate
  readonly verdict: Verdict
}

/** The likeliest are looked for however long it takes: answers about ordinary files shall not depend on the machine's load. */
const ALWAYS = 10
/** Where no time was left, in milliseconds: enough for these, unless older versions have to be looked at. */
const GRACE_MS = 5
/** So many at a time, whose versions git reads without waiting for each other. */
const AT_ONCE = 16

/** Units that have some of these lines; all of them for the whole file. */
export function unitsIn(
  { outline }: FileView,
  ranges: readonly LineRange[] | undefined,
): readonly Unit[] {
  if (ranges === undefined) return outline.units
  return outline.units.filter(({ lines }) => ranges.some((range) => overlap(range, lines)))
}

/**
 * Where the regions are today that a question is about, and how many there was no time to look for. The rest is found
 * out in the background, for the next question.
 */
export async function locateCandidates(
  code: Code,
  view: FileView,
  candidates: readonly Candidate[],
  { deadline, ranges, end }: Asked,
): Promise<{ readonly located: readonly LocatedCandidate[]; readonly pending: number }> {
  const found = knownVerdicts(code, view, candidates)
  const part: AskedPart = { ranges, units: unitsIn(view, ranges), ancestors: new Map() }
  const take = async (wanted: readonly Candidate[], until: Deadline, always: number) => {
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE).map(async (candidate, number) => {
        const limit = at + number < always ? { ...until, isOver: () => false } : until
        const verdict = await locateAsked(code, view, candidate, { deadline: limit, part })
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
  const ordered = likelyFirst(view, candidates.filter(isOpen), ranges)
  if (view.isPartial !== true) {
    const always = end === Infinity || performance.now() >= end ? ALWAYS : 0
    const taken = async () => {
      await take(ordered, { ...deadline, isQuick: true }, always)
      await take(ordered.filter(isOpen), deadline, candidates.length <= ALWAYS ? ALWAYS : 0)
    }
    await settledBy(Math.max(end, performance.now() + GRACE_MS), taken())
    code.repository.traces.of(view)?.save()
  }
  const open = ordered.filter(isOpen)
  const whole = open.filter(({ isPart }) => isPart !== true)
  locateLater(code, view, whole)
  const known = new Map(found)
  for (const candidate of open) {
    const isUnknown = end !== Infinity && !found.has(candidate)
    const verdict = isUnknown ? judgeByBlame(view, candidate, ranges) : undefined
    if (verdict !== undefined) known.set(candidate, verdict)
  }
  return {
    located: candidates.flatMap((candidate) => {
      const verdict = known.get(candidate) ?? 'elsewhere'
      return verdict === 'elsewhere' ? [] : [{ candidate, verdict }]
    }),
    pending: candidates.length - known.size,
  }
}

/** Caches the verdicts about units that have kept their names, while earlier names of the others are looked for. */
export async function locateNamesakes(code: Code, view: FileView, part: Part): Promise<void> {
  const { end = Infinity, units } = part
  if (view.isPartial === true || view.history === undefined) return
  const deadline = { isOver: () => performance.now() > end, isQuick: true }
  const candidates = await findNamesakes(code, view, part)
  for (let at = 0; at < candidates.length && !deadline.isOver(); at += AT_ONCE) {
    const some = candidates.slice(at, at + AT_ONCE)
    await Promise.all(some.map((each) => locateCached(code, view, each, { deadline, units })))
  }
}

function knownVerdicts(
  { repository }: Code,
  view: FileView,
  candidates: readonly Candidate[],
): Map<Candidate, Verdict | null | 'elsewhere'> {
  const traces = view.isPartial === true ? undefined : repository.traces.of(view)
  const found = new Map<Candidate, Verdict | null | 'elsewhere'>()
  if (traces === undefined) return found
  for (const candidate of candidates) {
    const verdict = candidate.isPart === true ? undefined : traces.get(keyOf(candidate))
    if (verdict !== undefined) found.set(candidate, verdict)
  }
  return found
}

/** What blame alone says of a region: lines of the annotated commit are among the requested ones. */
function judgeByBlame(
  view: FileView,
  { commit, region }: Candidate,
  ranges: readonly LineRange[] | undefined,
): Verdict | undefined {
  const { file, lines, ast_anchor: anchor } = region
  if (lines === undefined) return undefined
  const parts = blamedLines(view, commit, file, lines)
  const asked = parts.filter((part) => ranges?.some((range) => overlap(range, part)) ?? true)
  const traced = asked.length === 0 ? undefined : traceByBlame(view, commit, file, lines)
  if (traced === undefined) return undefined
  const annotated = { file, ...(anchor && { anchor: anchor.name }) }
  const blamed = parts.reduce((sum, { kept }) => sum + kept, 0)
  return { ...judgeLines(annotated, view.path, traced), evidence: { blamed } }
}

const SAVED_AFTER = 50

/** Fills the cache for the next question. Errors are left to that question, which reports them. */
function locateLater(code: Code, view: FileView, candidates: readonly Candidate[]): void {
  const { repository } = code
  if (view.history === undefined || candidates.length === 0) return
  repository.background.add(`trace ${view.path} ${view.file.blob}`, async (signal) => {
    const outline = await repository.outlines.of(view.file)
    const { isPartial: _made, ...rest } = view
    const whole = { ...rest, outline }
    const traces = repository.traces.of(whole)
    for (const [at, candidate] of candidates.entries()) {
      if (signal.aborted) break
      await locateCached(code, whole, candidate, { deadline: NO_DEADLINE, units: outline.units })
      if (at % SAVED_AFTER === SAVED_AFTER - 1) traces?.save()
      await nextTurn()
    }
    traces?.save()
  })
}

/** Null if the region is not in this file, undefined if there was no time left to find out. */
async function locateAsked(
  code: Code,
  view: FileView,
  candidate: Candidate,
  { deadline, part }: { readonly deadline: Deadline; readonly part: AskedPart },
): Promise<Verdict | null | 'elsewhere' | undefined> {
  if (deadline.isOver()) return undefined
  if (!(await mayConcern(code, view, candidate, part))) return 'elsewhere'
  return await locateCached(code, view, candidate, { deadline, units: part.units })
}

/** The part of a file that a question is about. */
interface AskedPart extends Pick<Asked, 'ranges'> {
  readonly units: readonly Unit[]
  /** Whether its units had these names before, looked up once for all annotations of a name. */
  readonly ancestors: Map<string, Promise<boolean>>
}

/** Whether a region can turn out to be among these lines. */
async function mayConcern(
  { repository }: Code,
  view: FileView,
  candidate: Candidate,
  { ranges, units, ancestors }: AskedPart,
): Promise<boolean> {
  const { region } = candidate
  const { ast_anchor: anchor, file } = region
  if (ranges === undefined || anchor === undefined || region.lines === undefined) return true
  const isUnit = view.outline.supported && !isByLines(region)
  if (!isUnit || isNamedIn(view, candidate, ranges)) return true
  if (units.some(({ contentHash }) => contentHash === region.content_hash)) return true
  const key = `${file} ${anchor.name}`
  const known = ancestors.get(key) ?? isAncestor(repository, view, candidate, units)
  ancestors.set(key, known)
  return await known
}

async function locateCached(
  code: Code,
  view: FileView,
  candidate: Candidate,
  search: Search,
): Promise<Verdict | null | 'elsewhere' | undefined> {
  // Where parts of it are depends on the question.
  if (candidate.isPart === true) return (await locate(code, view, candidate, search)) ?? 'elsewhere'
  const traces = code.repository.traces.of(view)
  const key = keyOf(candidate)
  const known = traces?.get(key)
  if (known !== undefined) return known
  const { deadline, units } = search
  const started = deadline.isOver()
  const verdict = await locate(code, view, candidate, search)
  const isGone = verdict === null || verdict?.state === 'orphaned'
  if (isGone && units.length < view.outline.units.length) return 'elsewhere'
  // After the deadline a verdict rests on less than all evidence.
  const isWhole = verdict?.isPartial !== true && !started && !deadline.isOver()
  if (verdict !== undefined && isWhole) traces?.set(key, verdict)
  return verdict
}

async function locate(
  code: Code,
  view: FileView,
  candidate: Candidate,
  search: Search,
): Promise<Verdict | null | undefined> {
  const { repository } = code
  const { region, isFromElsewhere, isPart } = candidate
  const isOther =
    isPart === true || isFromElsewhere === true || (await isCopied(code, view, candidate))
  if (!isOther) return await locateRegion(repository, view, candidate, search)
  const known = await whatWasAnnotated(repository, candidate)
  if (known.anchor === undefined || isByLines(region) || !view.outline.supported) return null
  const unit = { ...candidate, code: { ...known, anchor: known.anchor } }
  const same =
    isPart === true
      ? undefined
      : search.units.find(({ contentHash }) => contentHash === known.contentHash)
  if (same !== undefined && (await hasLeft(code, unit))) return judgeHeir(known, same, view.path)
  return (await locateDescendant(repository, view, unit, search.units)) ?? null
}

/** Whether a file that has another name is not this one under an earlier name: Git's `--follow` takes copies for renames. */
async function isCopied(code: Code, view: FileView, candidate: Candidate): Promise<boolean> {
  if (candidate.region.file === view.path) return false
  return (await isStillThere(code, candidate)) || (await hasStayed(code, view, candidate))
}

/** Whether the unit was left in a file that this one was split from: then it has not come here, and what became of that file does not matter. */
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
