import { expect, it } from 'vitest'
import { createIssuer } from './issuer.ts'
import { createResource, statusOf } from './resource.ts'
import { isFullLevel } from '../level.ts'
import { SEED } from '../seed.ts'

const MUTATIONS = isFullLevel ? 20_000 : 2_000
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/~ '

/** Small, fast and repeatable; the seed is printed when something is accepted. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function mutate(token: string, random: (below: number) => number): string {
  const at = random(token.length)
  const character = ALPHABET[random(ALPHABET.length)] ?? ''
  switch (random(5)) {
    case 0:
      return token.slice(0, at) + token.slice(at + 1)
    case 1:
      return token.slice(0, at) + character + token.slice(at)
    case 2: {
      const other = random(token.length)
      const [left, right] = [Math.min(at, other), Math.max(at, other)]
      return token.slice(0, left) + token.slice(right) + token.slice(left, right)
    }
    default:
      return token.slice(0, at) + character + token.slice(at + 1)
  }
}

it(`of ${MUTATIONS} changed tokens none is accepted [token-mutation-changed-tokens]`, async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const token = await issuer.fetchToken()
  const random = createRandom(SEED)
  const accepted: string[] = []
  let tried = 0
  while (tried < MUTATIONS) {
    const changed = mutate(token, random)
    if (changed.trim() === token) continue
    tried += 1
    if ((await statusOf(resource, changed)) === 200) accepted.push(changed)
  }
  expect(accepted, `seed ${SEED}`).toEqual([])
  expect(await statusOf(resource, token)).toBe(200)
})

it('unused bits of base64url do not give a token a second encoding', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  const token = await issuer.fetchToken()
  for (let end = 1; end <= token.length; end += 1) {
    if (end !== token.length && token[end] !== '.') continue
    for (const character of ALPHABET.trim()) {
      const changed = token.slice(0, end - 1) + character + token.slice(end)
      if (changed !== token) expect(await statusOf(resource, changed)).not.toBe(200)
    }
  }
})
