/** Different words in the texts. */
export const VOCABULARY = 20_000
const SYLLABLES = 'ka re to mi su lo ne pa di vu sho gra ten bil ron mex fol qua'.split(' ')

/** The same number for the same arguments, from 0 to below the limit. */
export function randomBelow(seed: number, limit: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0) % limit
}

/** Three syllables and more; each index has another word. */
export function wordAt(index: number): string {
  let word = ''
  for (let rest = index + SYLLABLES.length ** 2; rest > 0; rest = Math.floor(rest / 18))
    word += SYLLABLES[rest % SYLLABLES.length] ?? ''
  return word
}

const words = Array.from({ length: VOCABULARY }, (_, index) => wordAt(index))

/** So many words, of which a few are common and most are rare. */
export function wordsFor(seed: number, count: number): string {
  let text = ''
  for (let at = 0; at < count; at += 1) {
    const random = randomBelow(seed * 64 + at, 1_000_000) / 1_000_000
    text += `${at === 0 ? '' : ' '}${words[Math.floor(VOCABULARY * random ** 3)] ?? ''}`
  }
  return text
}
