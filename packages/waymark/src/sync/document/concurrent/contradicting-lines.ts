/** A line of a list, a table, a quotation, a heading or code: several of them say different things. */
const NO_SENTENCE = /^(?:\s{4}|\s*(?:[-*+>|#`]|\d+[.)]\s))/
const NEGATIONS: ReadonlySet<string> = new Set(['not', 'no', 'never', 'cannot'])
/** Words that come and go with a negation. */
const BESIDE_NEGATIONS: ReadonlySet<string> = new Set([
  'do',
  'does',
  'did',
  'can',
  'always',
  'ever',
])
/** Sentences of fewer words share too little to be about the same thing. */
const FEWEST_WORDS = 4

/**
 * Whether two different lines that were added at one place cannot both stand: one negates the other, or they are
 * sentences that differ in one word. A guess; where it is wrong, both are one command away.
 */
export function contradict(a: string, b: string): boolean {
  const [first, second] = [toWords(a), toWords(b)]
  if (isSame(first, second)) return false
  if (isNegated(first) !== isNegated(second)) return isSame(toPositive(first), toPositive(second))
  if (NO_SENTENCE.test(a) || NO_SENTENCE.test(b)) return false
  const differing = first.filter((word, at) => word !== second[at])
  const isLong = first.length >= FEWEST_WORDS && first.length === second.length
  return isLong && differing.length === 1 && first[0] === second[0]
}

function toWords(line: string): readonly string[] {
  const spelled = line.toLowerCase().replaceAll('’', "'").replaceAll(/n't\b/g, ' not')
  return spelled.match(/[\p{L}\p{N}_]+/gu) ?? []
}

function isNegated(words: readonly string[]): boolean {
  return words.some((word) => NEGATIONS.has(word))
}

/** `Do not use Redis` and `Always use Redis` are `use redis`. */
function toPositive(words: readonly string[]): readonly string[] {
  return words.filter((word) => !NEGATIONS.has(word) && !BESIDE_NEGATIONS.has(word))
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => word === b[at])
}
