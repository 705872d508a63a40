import type { NumberClaim } from './number-claims.ts'
import type { Replica } from '../store.ts'
import type { FoundRow } from '../rows-store.ts'
import type { EntityId } from '../../../entity/entity-id.ts'

export interface Renumbered {
  readonly id: EntityId
  /** The previous number; for a new entity the one it claims. */
  readonly from: number
  readonly to: number
  /** The present, possibly provisional number. */
  readonly until: number
}

/**
 * Which of two entities keeps a number that both claim.
 * `log`: the present owner, unless it was never sent or is purged; then the one in the log. A received entity's own fields never
 * take a number from a known entity.
 * `age`: the older one, then the one with the smaller id. For merges without a log, which have no order.
 */
export type NumberRule = 'log' | 'age'

interface Claimant extends NumberClaim {
  readonly row: FoundRow['row']
}

/**
 * Assigns every claimed number to one entity. Each decision is recorded as a change of the entity that does not get its
 * number, so that numbers stay stable. Returns the entities whose number differs from the previous or claimed one.
 */
export async function settleNumbers(
  replica: Replica,
  { at, rule }: { readonly at: number; readonly rule: NumberRule },
): Promise<readonly Renumbered[]> {
  await replica.raiseCounter()
  const claims = await replica.claims.all()
  if (claims.length === 0) return []
  const claimants: Claimant[] = []
  for (const claim of claims) {
    const found = await replica.rows.find(claim.id)
    if (found !== undefined) claimants.push({ ...claim, row: found.row })
    await replica.claims.take(claim.id)
  }
  const contest = new Contest(replica, rule, claimants)
  const settled = await contest.settle(at)
  await replica.raiseCounter()
  return settled
}

class Contest {
  readonly #replica: Replica
  readonly #rule: NumberRule
  readonly #claimants: readonly Claimant[]
  readonly #ids: ReadonlySet<string>
  readonly #holders = new Map<number, FoundRow['row'] | undefined>()
  readonly #losers = new Set<Claimant>()
  /** Of the holders. */
  readonly #purged = new Set<string>()

  constructor(replica: Replica, rule: NumberRule, claimants: readonly Claimant[]) {
    this.#replica = replica
    this.#rule = rule
    // Local entities first, then the others in order of arrival.
    this.#claimants = claimants.toSorted((a, b) => Number(b.former > 0) - Number(a.former > 0))
    this.#ids = new Set(claimants.map(({ id }) => id))
  }

  async settle(at: number): Promise<readonly Renumbered[]> {
    while (await this.#findLosers()) {
      // An entity that keeps its number may conflict with another claim.
    }
    const winners = this.#claimants.filter((claimant) => !this.#losers.has(claimant))
    const displaced = winners.flatMap(({ wanted }) => this.#holders.get(wanted) ?? [])
    await this.#park([...this.#claimants.map(({ row }) => row), ...displaced])
    for (const { id, wanted } of winners) await this.#replica.rows.renumber(id, wanted)
    for (const { id, row } of this.#staying) await this.#write(id, row.number, at)
    // They get the provisional numbers of arrivals, oldest first, then new ones.
    const spare = this.#claimants.filter(({ former }) => former === 0).map(({ row }) => row.number)
    const taken = new Set(winners.map(({ wanted }) => wanted))
    const free = spare.filter((number) => !taken.has(number)).toSorted((a, b) => a - b)
    const staying = new Set(this.#staying)
    const leaving = [...this.#losers].filter((loser) => !staying.has(loser))
    const homeless = [...displaced, ...leaving.map(({ row }) => row)]
    for (const { id } of homeless.toSorted(byAge)) {
      await this.#write(id, free.shift() ?? (await this.#replica.rows.nextNumber()), at)
    }
    return await this.#told(
      displaced.filter(({ id }) => !this.#purged.has(id)),
      at,
    )
  }

  /** Entities that keep their previous number. By age, new numbers are assigned, the same in all clones. */
  get #staying(): readonly Claimant[] {
    if (this.#rule === 'age') return []
    return [...this.#losers].filter(({ former }) => former > 0)
  }

  /** Whether there was one more. */
  async #findLosers(): Promise<boolean> {
    const before = this.#losers.size
    const winners = new Map<number, Claimant>()
    const kept = new Set(this.#staying.map(({ row }) => row.number))
    for (const claimant of this.#claimants) {
      if (this.#losers.has(claimant)) continue
      const { wanted } = claimant
      const rival = winners.get(wanted)
      const isFree = wanted > 0 && !kept.has(wanted) && (await this.#beatsHolder(claimant))
      if (!isFree) this.#losers.add(claimant)
      else if (rival === undefined) winners.set(wanted, claimant)
      else if (this.#rule === 'age' && byAge(claimant.row, rival.row) < 0) {
        this.#losers.add(rival)
        winners.set(wanted, claimant)
      } else this.#losers.add(claimant)
    }
    return this.#losers.size > before
  }

  /** Also where there is none, or it leaves. */
  async #beatsHolder({ wanted, row }: Claimant): Promise<boolean> {
    if (!this.#holders.has(wanted)) {
      const holder = (await this.#replica.rows.holderOf(wanted))?.row
      this.#holders.set(wanted, holder && this.#ids.has(holder.id) ? undefined : holder)
    }
    const holder = this.#holders.get(wanted)
    if (holder === undefined) return true
    if (this.#rule === 'age') return byAge(row, holder) < 0
    const stored = await this.#replica.document(holder.id)
    // A purged entity shows its number nowhere, and clones that purged it at different times disagree about it.
    if (stored?.document === null) this.#purged.add(holder.id)
    return stored === undefined || stored.document === null || stored.logged === null
  }

  /** Temporary numbers for swapping. */
  async #park(rows: readonly FoundRow['row'][]): Promise<void> {
    for (const [place, { id }] of rows.entries()) {
      await this.#replica.rows.renumber(id, -1_000_000 - place)
    }
  }

  async #write(id: EntityId, number: number, at: number): Promise<void> {
    await this.#replica.rows.renumber(id, number)
    if (this.#purged.has(id)) return
    await this.#replica.record(id, { at, by: null }, { renumbered: number })
  }

  async #told(displaced: readonly FoundRow['row'][], at: number): Promise<readonly Renumbered[]> {
    const before = [
      ...displaced.map(({ id, number }) => ({ id, from: number, until: number, wasHere: true })),
      ...this.#claimants.map(({ id, former, wanted, row }) => {
        return { id, from: former || wanted, until: row.number, wasHere: former > 0 }
      }),
    ]
    const told: Renumbered[] = []
    for (const { id, from, until, wasHere } of before) {
      const to = (await this.#replica.rows.find(id))?.row.number ?? until
      if (to !== from || to !== until) told.push({ id, from, to, until })
      // A number that only another clone has shown is no former one here.
      if (wasHere && to !== from) await this.#replica.formerNumbers.add({ id, number: from, at })
    }
    return told
  }
}

interface Aged {
  readonly id: EntityId
  readonly createdAt: number
}

function byAge(a: Aged, b: Aged): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}
