import type { EntityType } from '../../entity/entity.ts'
import { findForbidden } from '../document/document-state.ts'
import { type FactChange, type Facts, History, type HistoryEntry, isSameFact } from './history.ts'
import type { LoroModule } from '../document/loro.ts'
import type { FoundRow } from '../merge/rows-store.ts'
import type { Change } from '../../core/change.ts'
import { STATUS, toRestorableStatus } from './restore.ts'
import { findReached, isWorkedOn, toReached } from './undo-uses.ts'

/** The effect of an undo on one entity. */
export interface Plan {
  readonly found: FoundRow
  readonly outcome: 'reverted' | 'deleted' | 'restored' | 'kept'
  /** Created by the author and not used by any other. */
  readonly isOwn: boolean
  /** Facts to revert. */
  readonly back: readonly FactChange[]
  readonly kept: readonly string[]
  readonly facts: Facts
}

interface UndoScope {
  readonly author: string
  readonly from: number
}

interface Undo {
  readonly plans: readonly Plan[]
  /** Everyone who has changed something since then. */
  readonly authors: string[]
}

/** Plans for all entities that the author has changed since then, computed before any is applied. */
export async function planAll(change: Change, loro: LoroModule, scope: UndoScope): Promise<Undo> {
  const plans = new Map<string, Plan>()
  const authors = new Set<string>()
  const add = async (found: FoundRow, isNeeded: boolean): Promise<Plan | undefined> => {
    const plan = await planUndo(change, loro, found, { ...scope, isNeeded, authors })
    if (plan !== undefined) plans.set(found.row.id, plan)
    return plan
  }
  for (const id of await change.replica.changedSince(scope.from)) {
    const found = await change.replica.rows.find(id)
    if (found !== undefined) await add(found, false)
  }
  const reached = await findReached(change, plans)
  for (const id of reached) {
    const plan = plans.get(id)
    if (plan?.isOwn !== true) continue
    const needed = await add(plan.found, true)
    // A kept entity may reference others, which a later iteration handles.
    for (const target of needed === undefined ? [] : toReached(needed)) reached.add(target)
  }
  return {
    // A stable order: ids are random.
    plans: [...plans.values()].toSorted((a, b) => a.found.row.number - b.found.row.number),
    authors: [...authors].toSorted(),
  }
}

async function planUndo(
  change: Change,
  loro: LoroModule,
  found: FoundRow,
  {
    author,
    from,
    isNeeded,
    authors,
  }: UndoScope & { readonly isNeeded: boolean; readonly authors: Set<string> },
): Promise<Plan | undefined> {
  const { replica } = change
  const { row, deleted } = found
  const ops = await replica.ops(row.id)
  using history = new History(loro, row.id, await replica.document(row.id), ops)
  const { versions } = history
  const since = versions.filter(({ at }) => at >= from)
  for (const { by } of since) if (by !== null) authors.add(by)
  const all = since.filter(({ by }) => by === author)
  const [first] = all
  if (first === undefined) return undefined
  const isForeign = (await change.admission.refusal(row.id)) !== undefined
  const others = versions.some(({ version, by }) => version > first.version && by !== author)
  const isAlone = first.version === 1 && !others && !isNeeded && !isForeign
  const isOwn = isAlone && !(await isWorkedOn(change, row, author))
  if (isOwn) {
    const outcome = deleted === undefined ? 'deleted' : 'kept'
    return { found, outcome, isOwn, back: [], kept: [], facts: history.facts }
  }
  // An entity that other authors use is kept, with its initial facts.
  const own = all.filter(({ version }) => version !== 1)
  const plan = await planFields(change, found, {
    history,
    versions: own.map(({ version }) => version),
    isForeign,
  })
  // A claim that was given back has changed nothing.
  if (!isForeign && first.version !== 1 && plan.back.length + plan.kept.length === 0)
    return undefined
  return { found, isOwn, ...plan }
}

/** The effect of undoing one change of any author. What was changed further since stays. */
export async function planRevert(
  change: Change,
  loro: LoroModule,
  found: FoundRow,
  version: number,
): Promise<{ readonly plan: Plan; readonly length: number }> {
  const { replica, admission } = change
  const { id } = found.row
  const ops = await replica.ops(id)
  using history = new History(loro, id, await replica.document(id), ops)
  const isForeign = (await admission.refusal(id)) !== undefined
  const plan = await planFields(change, found, { history, versions: [version], isForeign })
  return { plan: { found, isOwn: false, ...plan }, length: history.length }
}

interface Reverted {
  readonly history: History
  readonly versions: readonly number[]
  readonly isForeign: boolean
}

async function planFields(
  change: Change,
  { row, deleted }: FoundRow,
  { history, versions, isForeign }: Reverted,
): Promise<Omit<Plan, 'found' | 'isOwn'>> {
  const { changed, broken } = summarise(history.entries(versions))
  const restorable = await withRestorableStatus(change, row, changed)
  const wanted = restorable
    .filter(({ name, to }) => isSameFact(history.facts.get(name), to))
    // A restored entity is not deleted again.
    .filter(({ name, from }) => name !== 'deleted' || from === undefined)
  const type = row.type as EntityType
  // A task that another agent holds stays as it is until it is free.
  const back = isForeign ? [] : withoutForbidden(type, history.facts, wanted)
  const lasting = restorable.filter((change) => !back.includes(change)).map(({ name }) => name)
  const kept = [...new Set([...broken, ...lasting])]
  const facts = takeBack(history.facts, back)
  const isRestored = deleted !== undefined && back.some(({ name }) => name === 'deleted')
  const outcome = back.length === 0 ? 'kept' : isRestored ? 'restored' : 'reverted'
  return { outcome, back, kept, facts }
}

/** A status that cannot be restored without its lease is left out, or replaced. */
async function withRestorableStatus(
  change: Change,
  row: FoundRow['row'],
  changed: readonly FactChange[],
): Promise<readonly FactChange[]> {
  const restorable = changed.map(async (fact) =>
    fact.name === STATUS
      ? { ...fact, from: await toRestorableStatus(change, row, fact.from) }
      : fact,
  )
  return (await Promise.all(restorable)).filter(({ from, to }) => !isSameFact(from, to))
}

/**
 * The changes that can be undone on their own: a field may be valid only together with another one that other authors
 * have changed.
 */
function withoutForbidden(
  type: EntityType,
  present: Facts,
  wanted: readonly FactChange[],
): readonly FactChange[] {
  let back = wanted
  const ignored = new Set(findForbidden(type, present))
  for (;;) {
    const isWanted = (name: string): boolean => back.some((change) => change.name === name)
    const found = findForbidden(type, takeBack(present, back)).filter(
      (name) => isWanted(name) || !ignored.has(name),
    )
    if (found.length === 0) return back
    const causes = back.filter((change) => {
      const rest = back.filter((other) => other !== change)
      const left = findForbidden(type, takeBack(present, rest))
      return found.some((name) => name !== change.name && !left.includes(name))
    })
    const refused = causes.length > 0 ? causes : back.filter(({ name }) => found.includes(name))
    if (refused.length === 0) return back.filter(({ name }) => !name.startsWith('properties.'))
    back = back.filter((change) => !refused.includes(change))
  }
}

function takeBack(present: Facts, changes: readonly FactChange[]): Facts {
  const facts = new Map(present)
  for (const { name, from } of changes) {
    if (from === undefined) facts.delete(name)
    else facts.set(name, from)
  }
  return facts
}

interface Summary {
  /** For each fact, the net change of the author's last uninterrupted run of changes. */
  readonly changed: readonly FactChange[]
  /** Names of facts that another author changed in between: changes before that are not undone. */
  readonly broken: ReadonlySet<string>
}

function summarise(entries: readonly HistoryEntry[]): Summary {
  const summary = new Map<string, FactChange>()
  const broken = new Set<string>()
  for (const { name, from, to } of entries.flatMap(({ changes }) => changes)) {
    if (name === 'number') continue
    const earlier = summary.get(name)
    // After another author's change, undo goes back to that author's value.
    const isOwn = earlier !== undefined && isSameFact(earlier.to, from)
    if (earlier !== undefined && !isOwn) broken.add(name)
    summary.set(name, { name, from: isOwn ? earlier.from : from, to })
  }
  const changed = [...summary.values()].filter(({ from, to }) => !isSameFact(from, to))
  return { changed, broken }
}
