/** The values of a claim: a token names one thing or a list of them. */
export function claimValues(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : [claim]
}
