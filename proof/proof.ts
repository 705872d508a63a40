/** One promise of Waymark: how it is put to the test, and which mistakes the test must find. */
export interface Proof {
  /** Short and lasting, for reports and for `--only`. */
  readonly id: string
  /** What a user may rely on. */
  readonly promise: string
  /** What `tried` counts. */
  readonly unit: string
  /** At the full level it is tried again, with other seeds, until `tried` has come so far. */
  readonly goal: number
  /** Mistakes that real systems have made. Planted one at a time, each must make the proof fail. */
  readonly faults: readonly string[]
  /** What this machine lacks for it. */
  obstacle?(): string | undefined
  run(trial: Trial): Promise<Findings>
}

/** `short` is for every check; `full` makes each run larger, so that it is not mostly the start of processes. */
export const LEVELS = ['short', 'full'] as const
export type Level = (typeof LEVELS)[number]

export interface Trial {
  readonly level: Level
  /** The same seed makes the same choices. */
  readonly seed: number
  /** One of the proof's faults, to be planted. */
  readonly fault?: string | undefined
}

export interface Findings {
  readonly tried: number
  /** What must not happen, and how often it did. */
  readonly violations: Readonly<Record<string, number>>
  /** What else was done, added up over the runs. */
  readonly counts?: Readonly<Record<string, number>>
  /** What else is worth knowing; of several runs the largest counts. */
  readonly figures?: Readonly<Record<string, number>>
  /** The first violation, in words that help to find its cause. */
  readonly example?: string | undefined
}

export function countViolations({ violations }: Findings): number {
  return Object.values(violations).reduce((sum, count) => sum + Math.abs(count), 0)
}
