import { sha256OfText } from './sha256-of-text.ts'

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
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
