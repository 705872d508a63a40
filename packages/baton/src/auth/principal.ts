import type { Principal } from '../server/call-context.ts'

/** A caller whose credentials were verified. */
export interface VerifiedPrincipal extends Principal {
  /** Epoch milliseconds at which the credentials expire; absent if they do not. */
  readonly expiresAt?: number
}

/** The owner of sessions and tasks on a server without authentication. */
export const ANONYMOUS_ID = 'anonymous'
