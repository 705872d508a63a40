import { authenticateBearer, type Authenticator } from './authenticator.ts'
import { parseBearer } from './bearer-token.ts'
import { createChallenger } from './challenge.ts'
import { sha256 } from './sha256.ts'
import { InvalidTokenError } from './token-error.ts'

const SHORTEST_SECRET = 32
const PRINCIPAL = { id: 'shared-secret' } as const

/** Accepts one bearer secret, for servers on the user's own machine; whoever has it may do everything. */
export function createSecretAuthenticator(secret: string): Authenticator {
  assertUsable(secret)
  const challenger = createChallenger(undefined, [])
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
  if (secret.length < SHORTEST_SECRET)
    throw new Error(`the secret must have at least ${SHORTEST_SECRET} characters`)
  if (parseBearer(`Bearer ${secret}`).kind !== 'token')
    throw new Error('the secret has characters that do not fit into a header')
}

/** Looks at every byte whatever it finds; hashes have one length, so not even that shows. */
function equalInConstantTime(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}
