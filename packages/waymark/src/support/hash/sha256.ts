/** Longer input is hashed sooner by Node's crypto, though it has to be loaded. */
const MOST_LETTERS = 500

/** After so many texts a process is one that goes on, and loading pays. */
const MOST_TEXTS = 8

let texts = 0

/** SHA-256 as hexadecimal text. Node's crypto takes longer to load than most commands to run, and most hash only a name. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const [text] = parts
  if (parts.length === 1 && typeof text === 'string' && text.length <= MOST_LETTERS) {
    texts += 1
    if (texts <= MOST_TEXTS) return sha256OfText(text)
  }
  const crypto = process.getBuiltinModule('node:crypto')
  // At once: a hash that is made in steps is an object with a stream.
  if (text !== undefined && parts.length === 1) return crypto.hash('sha256', text)
  const hash = crypto.createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

const BLOCK = 64
const WORDS = 64
const LENGTH_BYTES = 8

/** The fractions of the square and cube roots of the first primes, as FIPS 180-4 has them. */
const START = primes(8).map((prime) => toWord(Math.sqrt(prime)))
const ROUNDS = primes(WORDS).map((prime) => toWord(Math.cbrt(prime)))

/** SHA-256 of a short text, without Node's crypto. */
function sha256OfText(text: string): string {
  const bytes = toBlocks(new TextEncoder().encode(text))
  const hash = Uint32Array.from(START)
  for (let at = 0; at < bytes.length; at += BLOCK) addBlock(hash, new DataView(bytes.buffer, at))
  return [...hash].map((word) => word.toString(16).padStart(8, '0')).join('')
}

/** A one bit, zeros, and the length in bits fill the last block. */
function toBlocks(message: Uint8Array): Uint8Array {
  const blocks = Math.ceil((message.length + 1 + LENGTH_BYTES) / BLOCK)
  const bytes = new Uint8Array(blocks * BLOCK)
  bytes.set(message)
  bytes[message.length] = 0x80
  new DataView(bytes.buffer).setUint32(bytes.length - 4, message.length * 8)
  return bytes
}

function addBlock(hash: Uint32Array, block: DataView): void {
  const schedule = new Uint32Array(WORDS)
  const word = (at: number): number => schedule[at] ?? 0
  for (let at = 0; at < WORDS; at += 1) {
    schedule[at] =
      at < 16
        ? block.getUint32(at * 4)
        : word(at - 16) + small0(word(at - 15)) + word(at - 7) + small1(word(at - 2))
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let at = 0; at < WORDS; at += 1) {
    const choice = (e & f) ^ (~e & g)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const first = h + large1(e) + choice + (ROUNDS[at] ?? 0) + word(at)
    const second = large0(a) + majority
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) hash[at] = (hash[at] ?? 0) + value
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))
const large0 = (word: number): number => turn(word, 2) ^ turn(word, 13) ^ turn(word, 22)
const large1 = (word: number): number => turn(word, 6) ^ turn(word, 11) ^ turn(word, 25)
const small0 = (word: number): number => turn(word, 7) ^ turn(word, 18) ^ (word >>> 3)
const small1 = (word: number): number => turn(word, 17) ^ turn(word, 19) ^ (word >>> 10)

function toWord(root: number): number {
  return Math.floor((root % 1) * 2 ** 32)
}

function primes(count: number): readonly number[] {
  const found: number[] = []
  for (let number = 2; found.length < count; number += 1)
    if (found.every((prime) => number % prime !== 0)) found.push(number)
  return found
}
