import { Failure } from '../core/error.ts'
import { sha256 } from '../support/sha256.ts'
import { findSecret, type FoundSecret, isSecretField } from './find-secret.ts'

/** Rules and fingerprints that may be stored; `all` when a person said so for one call. */
export type AllowedSecrets = 'all' | ReadonlySet<string>

const FINGERPRINT_LENGTH = 12

/** Work between two yields to the event loop: values, and hundreds of characters. */
const ENOUGH = 500

/**
 * Refuses to store a value in which any text looks like a secret. What is remembered is read by every agent, copied to
 * every clone and hard to take back. The error says where it is and by what rule, and never what it is.
 */
export function refuseSecrets(value: unknown, allowed: AllowedSecrets): void {
  for (const _ of searchForSecrets(value, allowed));
}

/** The same in steps, so that a large value does not block the event loop. */
export function* searchForSecrets(value: unknown, allowed: AllowedSecrets): Generator<void, void> {
  if (allowed === 'all') return
  const isAllowed = (found: FoundSecret) =>
    allowed.size > 0 && (allowed.has(found.rule) || allowed.has(fingerprintOf(found)))
  // A stack rather than recursion: hostile input may be nested deeply.
  const open: Iterator<Place>[] = [[{ path: '', value }].values()]
  let looked = 0
  for (let parts = open.at(-1); parts !== undefined; parts = open.at(-1)) {
    const { done, value: place } = parts.next()
    if (done === true) {
      open.pop()
      continue
    }
    const found = findIn(place, isAllowed)
    if (found !== undefined) throw refusal(place.path, found)
    open.push(partsOf(place))
    looked += 1 + (typeof place.value === 'string' ? place.value.length / 100 : 0)
    if (looked < ENOUGH) continue
    looked = 0
    yield
  }
}

interface Place {
  /** Names and positions, with dots between them. */
  readonly path: string
  readonly value: unknown
  readonly name?: string
}

function* partsOf({ path, value }: Place): Generator<Place, undefined> {
  if (typeof value !== 'object' || value === null) return
  const pathTo = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const name = String(at)
      yield { path: pathTo(name), value: item as unknown, name }
    }
    return
  }
  for (const [name, inner] of Object.entries(value)) {
    // Names come from the caller too.
    yield { path, value: name }
    yield { path: pathTo(name), value: inner as unknown, name }
  }
}

function findIn(
  { name, value }: Place,
  isAllowed: (found: FoundSecret) => boolean,
): FoundSecret | undefined {
  if (typeof value !== 'string') return undefined
  const found = findSecret(value, isAllowed)
  if (found !== undefined || name === undefined || !isSecretField(name, value)) return found
  const whole = { rule: 'assigned-secret', offset: 0, text: value }
  return isAllowed(whole) ? undefined : whole
}

function refusal(path: string, found: FoundSecret): Failure {
  const field = findSecret(path) === undefined ? path || 'input' : 'a field name'
  const { rule, offset } = found
  return new Failure(
    'invalid_input',
    `${field}: looks like a secret (${rule} at character ${offset}) and is not stored; leave it out and name where it is kept`,
    { details: { field, rule: 'secret', secret: rule, offset, fingerprint: fingerprintOf(found) } },
  )
}

/** Enough of a hash to tell one secret from another in a list that everybody may read. */
function fingerprintOf({ text }: FoundSecret): string {
  return sha256(text).slice(0, FINGERPRINT_LENGTH)
}
