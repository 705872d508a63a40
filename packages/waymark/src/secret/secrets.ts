import { Failure } from '../core/error.ts'
import { sha256 } from '../support/hash/sha256.ts'
import { isRandom } from './randomness.ts'
import { SECRET_RULES, type SecretRule } from './rules.ts'

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
    if (isObject(place.value)) open.push(partsOf(place.path, place.value))
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function* partsOf(path: string, value: object): Generator<Place, undefined> {
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

export interface FoundSecret {
  readonly rule: string
  /** Where it begins, counted as JavaScript counts characters. */
  readonly offset: number
  /** The secret itself. For comparing, never for showing. */
  readonly text: string
}

/** Names that hold secrets, as they are spelled in code, settings and prose. */
const SECRET_NAME =
  /(?:api[_ -]?key|secret|token|passw(?:or)?d|passphrase|pwd|credentials?|access[_ -]?key|auth[_ -]?key|private[_ -]?key|account[_ -]?key|bearer)/i

/** A secret's name, what sets it apart from its value, and the value: `api_key: "…"`, `--token …`, `Bearer …`. */
const ASSIGNMENT = new RegExp(
  `${SECRET_NAME.source}([A-Za-z0-9_-]{0,20})["'\`]?(?:\\s{0,3}(?::=|=>|[:=])\\s{0,3}|\\s{1,3})["'\`]?([^\\s"'\`,;:=()[\\]]{16,512}={0,2})`,
  'gi',
)

/** `password_hash`, `token_count`: what is said of a secret is none. */
const ABOUT_A_SECRET =
  /hash|digest|sha|md5|checksum|count|length|name|file|path|ur[il]|type|ref|id$/i

/** The host is looked at ahead of time, so that the password is the last thing captured, as in every pattern here. */
const URL_PASSWORD =
  /:\/\/[^\s/:@"'`<>]{0,100}:(?=[^\s/@"'`<>]{6,200}@([^\s/:?#"'`<>]{1,200}))([^\s/@"'`<>]{6,200})@/g

const KEY_BLOCK = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g
const LONGEST_KEY = 8000
const LONGEST_HEADERS = 800

/** Forms that take more than a look at the text itself. */
const FORMS: readonly SecretRule[] = [
  ...SECRET_RULES,
  {
    id: 'private-key',
    lead: '-----BEGIN ',
    pattern: KEY_BLOCK,
    isSecret: (match) => isKeyBody(after(match)),
    extent: (match) => {
      const rest = after(match)
      const end = rest.indexOf('-----END')
      return match[0] + (end < 0 ? rest : rest.slice(0, end))
    },
  },
  {
    id: 'url-password',
    lead: '://',
    pattern: URL_PASSWORD,
    isSecret: ([, host = '', password = '']) => !isLocal(host) && isPassword(password),
  },
]

const ASSIGNED: SecretRule = {
  id: 'assigned-secret',
  lead: SECRET_NAME.source,
  pattern: ASSIGNMENT,
  isSecret: ([, suffix = '', value = '']) => !ABOUT_A_SECRET.test(suffix) && isRandom(value),
}

/** One look for all forms: most texts have none, and each pattern would read them whole. */
const LEADS = new RegExp(FORMS.map(({ lead }) => lead).join('|'))

/** The rules that may find something in a text. */
function rulesFor(text: string): readonly SecretRule[] {
  const forms = LEADS.test(text) ? FORMS : []
  return SECRET_NAME.test(text) ? [...forms, ASSIGNED] : forms
}

/** No rule finds anything in less: `://:secret@a`. */
const SHORTEST = 12

/** The first thing in a text that looks like a secret and is not allowed, in time that grows with the text alone. */
export function findSecret(
  text: string,
  isAllowed: (found: FoundSecret) => boolean = () => false,
): FoundSecret | undefined {
  if (text.length < SHORTEST) return undefined
  let first: FoundSecret | undefined
  for (const { id, pattern, isSecret, extent } of rulesFor(text)) {
    for (const match of text.matchAll(pattern)) {
      if (first !== undefined && match.index >= first.offset) break
      if (isSecret !== undefined && !isSecret(match)) continue
      const found = { rule: id, ...placeOf(match, extent) }
      if (!isAllowed(found)) first = found
    }
  }
  return first
}

/** The same text without anything in it that looks like a secret. */
export function maskSecrets(text: string): string {
  const found: FoundSecret[] = []
  findSecret(text, (secret) => found.push(secret) > 0)
  let masked = ''
  let from = 0
  for (const { offset, text: secret, rule } of found.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < from) continue
    masked += `${text.slice(from, offset)}[${rule}]`
    from = offset + secret.length
  }
  return masked + text.slice(from)
}

/** Secrets recognised by the name of their field, not by the value's form: `{ "api_key": "…" }`. */
export function isSecretField(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !ABOUT_A_SECRET.test(name) && isRandom(value)
}

/** The secret alone, without its name or the address that it is a part of. */
function placeOf(
  match: RegExpExecArray,
  extent: SecretRule['extent'],
): { offset: number; text: string } {
  const [whole] = match
  if (match.length === 1) return { offset: match.index, text: extent?.(match) ?? whole }
  const inner = match.at(-1) ?? ''
  return { offset: match.index + whole.lastIndexOf(inner), text: inner }
}

function after({ input, index, 0: whole }: RegExpExecArray): string {
  const from = index + whole.length
  return input.slice(from, from + LONGEST_KEY)
}

/** A real key continues with base64, perhaps after headers; prose about keys does not. In JSON line ends are `\n`. */
function isKeyBody(text: string): boolean {
  let isHeader = false
  for (const word of text.slice(0, LONGEST_HEADERS).split(/(?:\s|\\[nr])+/)) {
    if (/^[A-Za-z0-9+/]{40}/.test(word)) return true
    isHeader ||= /^[A-Za-z-]{1,30}:$/.test(word)
    if (!isHeader && word !== '') return false
  }
  return false
}

/** Databases on the own machine and in examples are opened with passwords that everybody knows. */
function isLocal(host: string): boolean {
  return /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|db$|postgres$|redis$|mysql$|mongo$|host$|(?:.*\.)?example\.)/i.test(
    host,
  )
}

function isPassword(text: string): boolean {
  if (isRandom(text)) return true
  const isMade = /[0-9]/.test(text) && /[A-Za-z]/.test(text) && text.length >= 8
  return isMade && !/pass|user|secret|example|xxx|[<>{}$*]|…/i.test(text)
}
