import type { TaskProperties } from '../domain/task-fields.ts'
import type { EntityRow } from '../store/entities.ts'

/** The properties of a row that is known to be a task. */
export function taskOf(row: EntityRow): TaskProperties {
  return row.properties as TaskProperties
}
