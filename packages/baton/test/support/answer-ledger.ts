import { type ExpectedAnswer, expectedAnswer, keyOf } from './answer-oracle.ts'

/** What differs between the answers that were owed and those that came. */
export interface Discrepancies {
  readonly unanswered: readonly string[]
  readonly unasked: readonly string[]
}

/** Knows for each line which answer is owed, so that one lost and one given twice do not cancel out. */
export class AnswerLedger {
  readonly #owed: ExpectedAnswer[] = []

  /** Notes that a line was sent. */
  expect(line: Buffer): void {
    const answer = expectedAnswer(line)
    if (answer !== undefined) this.#owed.push(answer)
  }

  /** How many answers are owed. */
  get size(): number {
    return this.#owed.length
  }

  /** Holds the answers that came against those that are owed. */
  settle(lines: readonly string[]): Discrepancies {
    const countsByKey = new Map<string, number>()
    for (const line of lines) {
      const { id, error } = JSON.parse(line) as { id: unknown; error?: { code: number } }
      const key = keyOf(id, error?.code)
      countsByKey.set(key, (countsByKey.get(key) ?? 0) + 1)
    }
    const unanswered: string[] = []
    const byCertainty = this.#owed.toSorted((one, other) => one.length - other.length)
    for (const keys of byCertainty) {
      const key = keys.find((candidate) => (countsByKey.get(candidate) ?? 0) > 0)
      if (key === undefined) unanswered.push(keys.join(' or '))
      else countsByKey.set(key, (countsByKey.get(key) ?? 0) - 1)
    }
    const unasked = [...countsByKey].flatMap(([key, count]) =>
      Array.from({ length: count }, () => key),
    )
    return { unanswered, unasked }
  }
}
