import type { TaskProperties } from './fields.ts'
import type { EntityRow } from '../entity/store.ts'

/** The properties of a row that is known to be a task. */
export function asTask(row: EntityRow): TaskProperties {
  return row.properties as TaskProperties
}
