import { Failure } from '../../core/error.ts'
import type { GitObject, ObjectReader } from '../object-reader.ts'

/** What git says of an object that is there but cannot be read; it ends then, with all else that it was asked. */
const CORRUPT = /corrupt|is empty|unable to unpack|inflate|bad object|unable to read/

const MOST_TRIES = 20

/** Whether git complains about an object, and not about something else that keeps it from working. */
export function isCorruption(error: unknown): error is Failure {
  return error instanceof Failure && error.details.reason === 'git' && CORRUPT.test(error.message)
}

/** An object of at most `limit` bytes. One that is damaged is as good as missing, and takes no other one with it. */
export async function readObject(
  objects: ObjectReader,
  limit: number,
  id: string,
): Promise<GitObject | 'too_large' | 'missing'> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await objects.readUpTo(limit, id)) ?? 'missing'
    } catch (error) {
      if (!isCorruption(error)) throw error
      // It may be another object that git has ended over.
      if (error.message.includes(id) || tries >= MOST_TRIES) return 'missing'
    }
  }
}
