import { authenticateBearer, type Authenticator } from './authenticator.ts'
import { parseBearer } from './token/bearer-token.ts'
import { createChallenger } from './challenge.ts'
import { sha256 } from './token/sha256.ts'
import { InvalidTokenError } from './token/token-error.ts'

const MIN_SECRET_LENGTH = 32
const PRINCIPAL = { id: 'shared-secret' } as const

/**
 * Accepts one bearer secret, for servers on the user's own machine; the secret grants full access. The hint tells callers
 * without it where to find it.
 */
export function createSecretAuthenticator(
  secret: string,
  { hint = 'send the secret as Authorization: Bearer <secret>' }: { readonly hint?: string } = {},
): Authenticator {
  assertUsable(secret)
  const challenger = createChallenger(undefined, [], hint)
  const expected = sha256(secret)
  return {
    authenticate: (credentials) =>
      authenticateBearer(credentials, challenger, async (token) => {
        if (equalInConstantTime(await sha256(token), await expected)) return PRINCIPAL
        throw new InvalidTokenError('the token is not valid')
      }),
    authorize: () => undefined,
  }
}

function assertUsable(secret: string): void {
  if (secret.length < MIN_SECRET_LENGTH)
    throw new Error(`the secret must have at least ${MIN_SECRET_LENGTH} characters`)
  if (parseBearer(`Bearer ${secret}`).kind !== 'token')
    throw new Error('the secret has characters that a bearer token must not have (RFC 6750)')
}

/** Compares all bytes, so the time does not depend on where they differ. */
function equalInConstantTime(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}
