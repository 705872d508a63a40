/** One promise of Waymark: how it is put to the test, and which mistakes the test must find. */
export interface Proof {
  /** Short and lasting, for reports and for `--only`. */
  readonly id: string
  /** What a user may rely on. */
  readonly promise: string
  /** What `tried` counts. */
  readonly unit: string
  /** Mistakes that real systems have made. Planted one at a time, each must make the proof fail. */
  readonly faults: readonly string[]
  /** What this machine lacks for it. */
  obstacle?(): string | undefined
  run(trial: Trial): Promise<Findings>
}

export interface Trial {
  /** The same seed makes the same choices. */
  readonly seed: number
  /** One of the proof's faults, to be planted. */
  readonly fault?: string | undefined
}

export interface Findings {
  readonly tried: number
  /** What must not happen, and how often it did. */
  readonly violations: Readonly<Record<string, number>>
  /** What else is worth knowing. */
  readonly figures?: Readonly<Record<string, number>>
  /** The first violation, in words that help to find its cause. */
  readonly example?: string | undefined
}

export function countViolations({ violations }: Findings): number {
  return Object.values(violations).reduce((sum, count) => sum + count, 0)
}
