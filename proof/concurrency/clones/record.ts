/** What a clone of a trial has to do. */
export interface CloneAssignment {
  readonly directory: string
  readonly remote: string
  readonly clone: string
  readonly agents: readonly string[]
  readonly tasks: readonly string[]
  /** By how much its clock is wrong, in milliseconds. */
  readonly skew: number
  readonly seed: number
  /** When the trial began and when it ends, in milliseconds since 1970. */
  readonly start: number
  readonly until: number
  /** How much faster than usual time passes, so that leases of hours end within the trial. */
  readonly speed: number
  /** What its first agent has held for hours, and keeps as long as it can, without the remote. */
  readonly kept?: KeptTask | undefined
}

export interface KeptTask {
  readonly task: string
  readonly agent: string
  readonly fence: number
  readonly provisional: false
  readonly at: number
}

/** `ending`: an agent has begun to give the task up, so that it relies on the lease no more. */
export interface CloneReport {
  readonly kind: 'granted' | 'ending' | 'released' | 'completed'
  readonly clone: string
  readonly agent: string
  readonly task: string
  readonly fence: number
  /** Claimed without the remote, or granted before and renewed: no promise that it is the only one. */
  readonly provisional: boolean
  readonly at: number
  /** Until when the agent relies on it. */
  readonly until?: number
}

/** The time of the trial, by a right clock. */
export function trueTime({ start, speed }: Pick<CloneAssignment, 'start' | 'speed'>): number {
  return zeroOf({ start }) + (Date.now() - start) * speed
}

/** Hours after the clones were made: the time of a store never runs backwards, and a lease from hours ago is needed. */
export function zeroOf({ start }: Pick<CloneAssignment, 'start'>): number {
  return start + 4 * 60 * 60 * 1000
}
