import type { Principal } from '../server/call-context.ts'

/** A caller whose credentials were checked. */
export interface VerifiedPrincipal extends Principal {
  /** Epoch milliseconds at which the proof runs out; absent when it does not. */
  readonly expiresAt?: number
}

/** The owner of everything that is made where nobody has to say who they are. */
export const ANONYMOUS_ID = 'anonymous'
