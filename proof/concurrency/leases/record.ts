/** One call of one worker, as it saw it from outside. Times are those of the clock that judges the leases. */
export interface Call {
  readonly worker: number
  readonly agent: string
  readonly task: string
  readonly kind: 'claim' | 'renew' | 'release' | 'write' | 'complete' | 'reopen'
  readonly start: number
  readonly end: number
  /** The number that the caller named. */
  readonly fence?: number
  readonly outcome: Outcome
}

export type Outcome =
  /** A new lease, or an old one made longer. */
  | { readonly is: 'granted' | 'renewed'; readonly fence: number; readonly expiresAt: number }
  | { readonly is: 'done' }
  /** It was so already. */
  | { readonly is: 'unchanged' }
  | { readonly is: 'refused'; readonly reason: string }

/** How long every lease lasts. */
export const LEASE_SECONDS = 60
