import { StudioError } from '../error.ts'
import { span } from './records.ts'
import type { Table } from './records.ts'
import { SETTING_IDS } from './setting.ts'
import type { Said } from './setting.ts'

/** From the lowest to the highest, both included. */
export interface Range {
  readonly low: number
  readonly high: number
}

/** Keys and velocities for which something holds: an instrument within a preset, or a sample within an instrument. */
export interface Zone {
  readonly keys: Range
  readonly velocities: Range
  /** What is played: the index of an instrument or of a sample. */
  readonly target: number
  /** What is said about the sound, here or for all zones. */
  readonly said: (id: number) => number | undefined
}

/** The three tables that describe zones, and the setting that names what a zone plays. */
export interface ZoneTables {
  readonly headers: Table
  readonly bags: Table
  readonly generators: Table
  readonly targetId: number
  /** Where a header says which of the bags are its own. */
  readonly bagAt: number
  readonly targets: Table
}

const KEY_RANGE = 43
const VELOCITY_RANGE = 44
const ALL: Range = { low: 0, high: 127 }

/** What a zone of the file says, whether or not it plays anything. */
interface RawZone {
  readonly said: Said
  readonly keys: Range | undefined
  readonly velocities: Range | undefined
  readonly target: number | undefined
}

/** The zones of one preset or instrument. A first zone that plays nothing speaks for all the others. */
export function readZones(tables: ZoneTables, index: number): readonly Zone[] {
  const { headers, bags, bagAt } = tables
  const { from, end } = span(headers, index, { at: bagAt, other: bags })
  const raw: RawZone[] = []
  for (let bag = from; bag < end; bag += 1) raw.push(readZone(tables, bag))
  const shared = raw[0]?.target === undefined ? raw[0] : undefined
  return raw.flatMap(({ said, keys, velocities, target }) =>
    target === undefined
      ? []
      : {
          keys: keys ?? shared?.keys ?? ALL,
          velocities: velocities ?? shared?.velocities ?? ALL,
          target,
          said: (id: number) => said.get(id) ?? shared?.said.get(id),
        },
  )
}

function readZone({ bags, generators, targetId, targets }: ZoneTables, bag: number): RawZone {
  const said = new Map<number, number>()
  const ranges = new Map<number, Range>()
  const { from, end } = span(bags, bag, { at: 0, other: generators })
  let target: number | undefined
  // What comes after the target does not count.
  for (let index = from; index < end && target === undefined; index += 1) {
    const id = generators.word(index, 0)
    const amount = generators.word(index, 2)
    if (id === targetId) target = amount
    else if (id === KEY_RANGE || id === VELOCITY_RANGE)
      ranges.set(id, { low: amount & 0xff, high: amount >> 8 })
    else if (SETTING_IDS.has(id)) said.set(id, (amount << 16) >> 16)
  }
  if (target !== undefined && target >= targets.count)
    throw new StudioError(
      `zone ${bag} of ${bags.name} in the SoundFont plays ${targets.name} ${target}, and there are ${targets.count}`,
    )
  return { said, keys: ranges.get(KEY_RANGE), velocities: ranges.get(VELOCITY_RANGE), target }
}

export function isWithin({ low, high }: Range, value: number): boolean {
  return value >= low && value <= high
}

/** What two ranges have in common. */
export function overlap(one: Range, other: Range): Range | undefined {
  const low = Math.max(one.low, other.low)
  const high = Math.min(one.high, other.high)
  return low <= high ? { low, high } : undefined
}
