import { type ExpectedAnswer, expectedAnswer, keyOf } from './answer-oracle.ts'

/** The difference between expected and received responses. */
export interface Discrepancies {
  readonly unanswered: readonly string[]
  readonly unasked: readonly string[]
}

/** Records the expected response of each line, so that one lost and one duplicate response do not cancel out. */
export class AnswerLedger {
  readonly #owed: ExpectedAnswer[] = []

  /** Records a sent line. */
  expect(line: Buffer): void {
    const answer = expectedAnswer(line)
    if (answer !== undefined) this.#owed.push(answer)
  }

  /** The number of expected responses. */
  get size(): number {
    return this.#owed.length
  }

  /** Compares the received responses with the expected ones. */
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
