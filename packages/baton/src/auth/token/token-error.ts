/** Thrown for a token that this resource does not accept; the message is fixed text that clients may see. */
export class InvalidTokenError extends Error {
  override name = 'InvalidTokenError'
}

/** Thrown when the issuer's keys cannot be fetched, so that the token can neither be accepted nor rejected. */
export class IssuerUnavailableError extends Error {
  override name = 'IssuerUnavailableError'
}
