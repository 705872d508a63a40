/** Thrown for a token that this resource does not accept; the message is fixed text that may be shown. */
export class InvalidTokenError extends Error {
  override name = 'InvalidTokenError'
}

/** Thrown when the issuer's keys cannot be had, so that nothing can be said about the token. */
export class IssuerUnavailableError extends Error {
  override name = 'IssuerUnavailableError'
}
