import { Failure } from '../error.ts'

/** Parses what a row keeps as JSON. `what` names the row, for whoever has to learn that it is damaged. */
export function parseStored<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw new Failure(
      'storage_corrupt',
      `${what} is damaged in the database; \`waymark doctor\` says what can be done`,
      { cause },
    )
  }
}
