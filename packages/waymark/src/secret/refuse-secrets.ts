import { Failure } from '../core/error.ts'
import { sha256 } from '../support/sha256.ts'
import { findSecret, type FoundSecret, isSecretField } from './find-secret.ts'

/** Rules and fingerprints that may be stored; `all` when a person said so for one call. */
export type AllowedSecrets = 'all' | ReadonlySet<string>

const FINGERPRINT_LENGTH = 12

/**
 * Refuses to store a value in which any text looks like a secret. What is remembered is read by every agent, copied to
 * every clone and hard to take back. The error says where it is and by what rule, and never what it is.
 */
export function refuseSecrets(value: unknown, allowed: AllowedSecrets): void {
  if (allowed === 'all') return
  const isAllowed = (found: FoundSecret) =>
    allowed.size > 0 && (allowed.has(found.rule) || allowed.has(fingerprintOf(found)))
  // A list of what is still to be seen rather than recursion: hostile input may be nested deeply.
  const waiting: Place[] = [{ path: '', value }]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const found = findIn(place, isAllowed)
    if (found !== undefined) throw refusal(place.path, found)
    for (const part of partsOf(place).toReversed()) waiting.push(part)
  }
}

interface Place {
  /** Names and positions, with dots between them. */
  readonly path: string
  readonly value: unknown
  readonly name?: string
}

function partsOf({ path, value }: Place): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`
    const part = { path: at, value: inner as unknown, name }
    // Names come from the caller too.
    return Array.isArray(value) ? [part] : [{ path, value: name }, part]
  })
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
