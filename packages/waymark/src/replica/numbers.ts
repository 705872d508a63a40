import type { Replica } from '../store/replica.ts'

/** An entity that wants a number which another one has, or none (0). */
export interface Contender {
  readonly id: string
  readonly wanted: number
  readonly createdAt: number
}

export interface Renumbered {
  readonly id: string
  readonly from: number
  readonly to: number
}

/**
 * Gives every number to one entity: of those that want it, the oldest has it, and of two equally old ones the one
 * with the smaller id. The others get new numbers, oldest first. That is written down as a change of theirs, so a
 * number never changes again by itself, and clones that know the same entities choose the same numbers.
 */
export async function assignNumbers(
  replica: Replica,
  contenders: readonly Contender[],
  at: number,
): Promise<readonly Renumbered[]> {
  const losers: Contender[] = []
  for (const wanted of new Set(contenders.map(({ wanted }) => wanted))) {
    const rivals = contenders.filter((contender) => contender.wanted === wanted)
    if (wanted === 0) losers.push(...rivals)
    else losers.push(...(await giveToOldest(replica, wanted, rivals)))
  }
  const renumbered: Renumbered[] = []
  for (const { id, wanted } of losers.toSorted(byAge)) {
    const number = await replica.rows.nextNumber()
    await replica.rows.renumber(id, number)
    await replica.record(id, { at, by: null }, { renumbered: number })
    renumbered.push({ id, from: wanted, to: number })
  }
  return renumbered
}

/** Answers those that have to do without. */
async function giveToOldest(
  replica: Replica,
  wanted: number,
  rivals: readonly Contender[],
): Promise<readonly Contender[]> {
  const holder = await replica.rows.holderOf(wanted)
  const current = holder === undefined ? [] : [toContender(holder.row)]
  const [oldest, ...losers] = [...current, ...rivals].toSorted(byAge)
  if (oldest === undefined || oldest.id === holder?.row.id) return losers
  if (holder !== undefined) await replica.rows.renumber(holder.row.id, await parked(replica))
  await replica.rows.renumber(oldest.id, wanted)
  return losers
}

/** A number that is free for the moment. */
async function parked(replica: Replica): Promise<number> {
  for (let number = -1_000_000; ; number--) {
    if ((await replica.rows.holderOf(number)) === undefined) return number
  }
}

function toContender({
  id,
  number,
  createdAt,
}: {
  readonly id: string
  readonly number: number
  readonly createdAt: number
}): Contender {
  return { id, wanted: number, createdAt }
}

function byAge(a: Contender, b: Contender): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}
