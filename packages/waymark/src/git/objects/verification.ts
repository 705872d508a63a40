/** Verification states of a signed commit, the weakest first. */
export const SIGNATURES = ['bad', 'unsigned', 'untrusted', 'good'] as const
export type Signature = (typeof SIGNATURES)[number]

/** The result of verifying the commit that brought a segment of the log. */
export interface Verification {
  readonly signature: Signature
  /** Who signed, by the user's own list of keys; for an untrusted key its fingerprint. */
  readonly signer?: string
}
