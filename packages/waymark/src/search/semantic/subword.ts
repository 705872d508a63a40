import { tokensOf } from '../text/document.ts'
import { type Embedder, normalise } from './embedder.ts'

const DIMENSIONS = 256
const SHORTEST_GRAM = 3
const LONGEST_GRAM = 5
const WORD_WEIGHT = 1
const GRAMS_WEIGHT = 1
const PAIR_WEIGHT = 0.5
/** What stands first in a text, its title, says most about it. */
const LEADING_TOKENS = 12
const LEADING_WEIGHT = 2
/** Beyond this a text only repeats itself, as far as spelling can tell. */
const MOST_TOKENS = 2_000

/**
 * A model without training or download: words, pairs of words and pieces of words, each hashed to a place in the
 * vector. Finds other forms of a word, compounds and misspellings. It knows no synonyms.
 */
export const SUBWORD: Embedder = {
  model: 'local-subword-1',
  isApproximate: true,
  threshold: 0.15,
  whileWaiting: 5_000,
  embed: async (texts) => texts.map(toVector),
}

function toVector(text: string): Float32Array {
  const weights = new Map<string, number>()
  const add = (feature: string, weight: number): void => {
    weights.set(feature, (weights.get(feature) ?? 0) + weight)
  }
  let before = ''
  let count = 0
  for (const { term } of tokensOf(text)) {
    if (count >= MOST_TOKENS) break
    const weight = (count < LEADING_TOKENS ? LEADING_WEIGHT : 1) * telling(term)
    count += 1
    add(term, WORD_WEIGHT * weight)
    if (before !== '') add(`${before} ${term}`, PAIR_WEIGHT * weight)
    const grams = gramsOf(term)
    for (const gram of grams) add(gram, (GRAMS_WEIGHT * weight) / Math.sqrt(grams.length))
    before = term
  }
  const vector = new Float32Array(DIMENSIONS)
  for (const [feature, weight] of weights) {
    const hash = hashOf(feature)
    const place = hash % DIMENSIONS
    const sign = (hash >>> 16) & 1 ? 1 : -1
    // The tenth mention of a word says less than the first.
    vector[place] = (vector[place] ?? 0) + sign * Math.log1p(weight)
  }
  return normalise(vector)
}

/** Short words are mostly grammar. */
function telling(term: string): number {
  return term.length < SHORTEST_GRAM ? 0.2 : term.length === SHORTEST_GRAM ? 0.5 : 1
}

function gramsOf(term: string): readonly string[] {
  const word = `<${term}>`
  const grams: string[] = []
  for (let size = SHORTEST_GRAM; size <= LONGEST_GRAM; size += 1) {
    for (let at = 0; at + size <= word.length; at += 1) grams.push(word.slice(at, at + size))
  }
  return grams
}

/** FNV-1a with a final mix: neighbouring texts must not land in neighbouring places. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
