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

/** Stands for a word of which several lines have different ones. */
const SEVERAL = ''

/**
 * Lines that were added at one place, and which others cannot stand beside them: one negates the other, or they are
 * sentences that differ in one word. A guess; where it is wrong, both are one command away. Each line is compared with
 * all of them at once: of long texts, every pair is too many.
 */
export class AddedLines {
  /** What they say without their negation, of those that have none and of those that have one. */
  readonly #plain = new Set<string>()
  readonly #negated = new Set<string>()
  /** A word of a sentence by all its other words, in their order. */
  readonly #wordsByRest = new Map<string, string>()
  readonly #ids = new Map<string, number>()

  constructor(lines: readonly string[]) {
    for (const line of lines) this.#add(line)
  }

  contradict(line: string): boolean {
    const words = toWords(line)
    const opposite = isNegated(words) ? this.#plain : this.#negated
    if (opposite.has(toPositive(words))) return true
    return this.#toGaps(line, words).some(([rest, word]) => {
      const there = this.#wordsByRest.get(rest)
      return there !== undefined && there !== word
    })
  }

  #add(line: string): void {
    const words = toWords(line)
    const alike = isNegated(words) ? this.#negated : this.#plain
    alike.add(toPositive(words))
    for (const [rest, word] of this.#toGaps(line, words)) {
      const there = this.#wordsByRest.get(rest)
      this.#wordsByRest.set(rest, there === undefined || there === word ? word : SEVERAL)
    }
  }

  /** Each word of a sentence but the first, with the words around it. */
  #toGaps(line: string, words: readonly string[]): readonly (readonly [string, string])[] {
    if (words.length < FEWEST_WORDS || NO_SENTENCE.test(line)) return []
    const kind = isNegated(words) ? 'negated' : 'plain'
    const before = this.#idsAlong('before', words)
    const after = this.#idsAlong('after', words.toReversed()).toReversed()
    return words.map((word, at) => [`${kind} ${before[at]} ${after[at]}`, word] as const).slice(1)
  }

  /** For each word, a number that stands for all words before it. */
  #idsAlong(side: 'before' | 'after', words: readonly string[]): readonly number[] {
    let id = 0
    return words.map((word) => {
      const before = id
      const name = `${side} ${before} ${word}`
      id = this.#ids.get(name) ?? this.#ids.size + 1
      this.#ids.set(name, id)
      return before
    })
  }
}

function toWords(line: string): readonly string[] {
  const spelled = line.toLowerCase().replaceAll('’', "'").replaceAll(/n't\b/g, ' not')
  return spelled.match(/[\p{L}\p{N}_]+/gu) ?? []
}

function isNegated(words: readonly string[]): boolean {
  return words.some((word) => NEGATIONS.has(word))
}

/** `Do not use Redis` and `Always use Redis` are `use redis`. */
function toPositive(words: readonly string[]): string {
  return words.filter((word) => !NEGATIONS.has(word) && !BESIDE_NEGATIONS.has(word)).join(' ')
}
