import { Failure } from '../error.ts'
import { nextEntityNumber } from './entity-numbers.ts'
import type { Sql } from './sql.ts'

/** Numbers that only grow. They live in rows, so a rolled back transaction gives its numbers back: no gaps. */
export interface Counters {
  next(name: 'entity' | 'event' | 'message'): Promise<number>
}

export function createCounters(sql: Sql): Counters {
  return {
    async next(name) {
      if (name === 'entity') return (await nextEntityNumber(sql)) ?? missing()
      const row = await sql.get<{ value: number }>(
        'UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value',
        [name],
      )
      return row === undefined ? missing() : row.value
    },
  }
}

function missing(): never {
  throw new Failure('storage_corrupt', 'a counter is missing in the database')
}
