import { Failure } from '../error.ts'

/** Parses the JSON of a row. `what` names the row in the error if it is damaged. */
export function parseStored<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T
  } catch (cause) {
    throw unreadable(what, cause)
  }
}

export function unreadable(what: string, cause: unknown): Failure {
  return new Failure(
    'storage_corrupt',
    `${what} is damaged in the database; \`waymark doctor\` says what can be done`,
    { cause },
  )
}

export function isUnreadable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'storage_corrupt'
}

/** Undefined when the row is damaged. */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}
