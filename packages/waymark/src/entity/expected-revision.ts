import * as z from 'zod'
import { Failure } from '../core/error.ts'
import type { EntityRow } from './store.ts'

/** Makes a change conditional on the state that its author has seen. */
export const expectedRevision = z
  .int()
  .min(1)
  .optional()
  .describe('Fail instead of changing it, if its revision is another one by now')

/** Throws `conflict` with the present values, if the entity was changed since its author has read it. */
export function assertRevision(row: EntityRow, expected: number | undefined): void {
  const { id, number, revision, title, content, tags, status, properties, updatedBy } = row
  if (expected === undefined || expected === revision) return
  const author = updatedBy === null ? '' : ` by ${updatedBy}`
  throw new Failure(
    'conflict',
    `#${number} was changed${author} meanwhile: it has revision ${revision}, not ${expected}`,
    {
      details: {
        reason: 'changed_meanwhile',
        field: 'expected_revision',
        id,
        number,
        expected,
        revision,
        ...(updatedBy !== null && { changed_by: updatedBy }),
        present: { title, content, tags, status, properties },
      },
    },
  )
}
