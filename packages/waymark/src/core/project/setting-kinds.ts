import { isLoopbackUrl } from '../../support/loopback-url.ts'
import { withoutEnd } from '../../support/text/without-end.ts'
import type { Kind } from './setting.ts'

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const POSITIVE: Kind<number> = {
  parse: (given) => {
    const value = Number(given)
    return Number.isSafeInteger(value) && value > 0 ? value : undefined
  },
  expects: 'must be a whole number above 0',
}

export const MILLISECONDS: Kind<number> = {
  parse: (given) => {
    const value = POSITIVE.parse(given)
    return value === undefined ? undefined : Math.min(value, LONGEST_TIMER_MS)
  },
  expects: POSITIVE.expects,
}

export const PORT: Kind<number> = {
  parse: (given) => upTo(65_535, given),
  expects: 'must be a whole number from 0 to 65535',
}

export const RATE: Kind<number> = {
  parse: (given) => upTo(999_999, given),
  expects: 'must be a whole number of requests in a second, or 0 for no limit',
}

export const SECONDS: Kind<number> = {
  parse: (given) => upTo(3600, given),
  expects: 'must be a whole number of seconds, 3600 at most',
}

function upTo(most: number, given: unknown): number | undefined {
  return /^\d{1,6}$/.test(String(given)) && Number(given) <= most ? Number(given) : undefined
}

export const TEXT: Kind<string> = {
  parse: (given) => (typeof given === 'string' ? given : undefined),
  expects: 'must be a text',
}

/** The first characters of a text; of any other value none, which is no error. */
export function textUpTo(most: number): Kind<string> {
  return { ...TEXT, parse: (given) => TEXT.parse(given)?.trim().slice(0, most) ?? '' }
}

export const LIST: Kind<readonly string[]> = {
  fromText: (text) => text.split(',').flatMap((item) => item.trim() || []),
  parse: (given) => (isTexts(given) ? given : undefined),
  expects: 'must be a list of texts',
}

function isTexts(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((each) => typeof each === 'string')
}

/** Of a variable, only `1` is yes. */
export const SWITCH: Kind<boolean> = {
  fromText: (text) => text === '1',
  parse: (given) => given === true,
  expects: 'must be true or false',
}

export function oneOf<const T extends string>(valid: readonly T[]): Kind<T> {
  return {
    fromText: (text) => text.toLowerCase(),
    parse: (given) => valid.find((each) => each === given),
    expects: `must be one of ${valid.join(', ')}`,
    valid,
  }
}

/** An address may hold a password. */
function address(expects: string, isAccepted: (url: string) => boolean): Kind<string> {
  const isAddress = (given: string) =>
    URL.canParse(given) && /^https?:$/.test(new URL(given).protocol) && isAccepted(given)
  return {
    parse: (given) => (typeof given === 'string' && isAddress(given) ? given : undefined),
    expects,
    isPrivate: true,
  }
}

export const WEB_ADDRESS = address('must be an http or https address', () => true)

/** It may hold a password. */
export const DATABASE_ADDRESS: Kind<string> = {
  parse: (given) =>
    typeof given === 'string' && /^postgres(?:ql)?:\/\//.test(given) ? given : undefined,
  expects: 'must be an address such as postgres://user@host/database',
  isPrivate: true,
}

export const PUBLIC_ADDRESS: Kind<string> = {
  ...address('must be an address like https://waymark.example.com', (url) => !/[?#]/.test(url)),
  fromText: (text) => withoutEnd(text, '/'),
}

/** Without TLS, any machine on the way could answer with keys of its own and sign tokens with them. */
export const SAFE_ADDRESS = address(
  'must be an https address, or an http address of this machine (127.0.0.1, [::1], localhost)',
  (url) => /^https:/i.test(url) || isLoopbackUrl(url),
)

const SHORTEST_SECRET = 32

/** The rules of {@link isUsableSecret}, for error messages. */
export const USABLE_SECRET = `${SHORTEST_SECRET} or more letters, digits and . _ ~ + / - without a space, since callers send it in a header`

export function isUsableSecret(secret: string): boolean {
  return secret.length >= SHORTEST_SECRET && /^[\w.~+/-]+=*$/.test(secret)
}

export const SECRET: Kind<string> = {
  fromText: (text) => text.trim(),
  parse: (given) => (typeof given === 'string' && isUsableSecret(given) ? given : undefined),
  expects: `must be ${USABLE_SECRET}; leave it out for one that is made for you`,
  isPrivate: true,
}
