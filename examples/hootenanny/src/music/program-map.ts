import { latestAt } from './latest-at.ts'

/** From a tick on, a channel plays with another instrument. */
export interface ProgramChange {
  readonly tick: number
  readonly channel: number
  readonly program: number
  readonly bank: number
}

/** The latest change of a channel at a tick. */
export type ProgramMap = (channel: number, tick: number) => ProgramChange | undefined

/** Knows when channels change their instruments. */
export function createProgramMap(changes: readonly ProgramChange[]): ProgramMap {
  const changesByChannel = new Map<number, ProgramChange[]>()
  for (const change of changes.toSorted((one, other) => one.tick - other.tick)) {
    const before = changesByChannel.get(change.channel) ?? []
    before.push(change)
    changesByChannel.set(change.channel, before)
  }
  return (channel, tick) => latestAt(changesByChannel.get(channel) ?? [], tick)
}
