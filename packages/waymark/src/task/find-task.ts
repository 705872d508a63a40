import { isShownPrefix } from '../entity/reference.ts'
import { Failure } from '../core/error.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import type { TaskReader } from './store.ts'
import { ambiguous, findEntity, exactlyOne } from '../entity/find-entity.ts'
import { asTask } from './fields.ts'
import { isClosed } from './task.ts'
import type { EntityId } from '../entity/entity-id.ts'

interface Readers {
  readonly entities: EntityReader
  readonly tasks: TaskReader
}

/** The one task that `text` names: by number, by its own key, or by the first characters of its id. */
export async function findTask(
  { entities, tasks }: Readers,
  text: string,
  field = 'id',
): Promise<EntityRow> {
  const keyed = await byKey(tasks, text, field)
  const row =
    keyed === undefined
      ? await findEntity(entities, text, field)
      : await unlessShownId(entities, keyed, { text, field })
  if (row.type === 'task') return row
  throw new Failure('not_found', `${row.type} ${row.number} is not a task`, {
    details: { field, id: text.slice(0, 100), kind: 'task', type: row.type },
  })
}

/** Tasks of different clones may have got the same key. */
function equalKeys(key: string, field: string, rows: readonly EntityRow[]): Failure {
  const { code, message, details } = ambiguous(key, field, rows)
  const remedy = `give one of them another key: waymark task update ${rows.at(-1)?.number} --key <key>`
  return new Failure(code, `${message}; ${remedy}`, { details })
}

export async function findOpenParts(
  { tasks }: Pick<Readers, 'tasks'>,
  id: EntityId,
): Promise<EntityRow[]> {
  const parts = await tasks.related(id, 'subtask_of', 'to')
  return parts.filter((part) => !isClosed(asTask(part)))
}

/** A key may look like another entity's id prefix; the reference is then ambiguous. */
async function unlessShownId(
  entities: EntityReader,
  keyed: EntityRow,
  { text, field }: { readonly text: string; readonly field: string },
): Promise<EntityRow> {
  const word = text.trim()
  if (!isShownPrefix(word)) return keyed
  return exactlyOne([keyed, ...(await entities.byIdPrefix(word, 1))], text, field)
}

/** A key of digits only would hide the task with that number, so a number is always the number. */
async function byKey(
  tasks: TaskReader,
  text: string,
  field: string,
): Promise<EntityRow | undefined> {
  const key = text.trim()
  if (/^#?\d*$/.test(key)) return undefined
  const exact = await tasks.byKey(key)
  const found =
    exact.length > 0 || isShownPrefix(key.replaceAll('-', ''))
      ? exact
      : await tasks.byKeyInAnyCase(key)
  if (found.length > 1) throw equalKeys(key, field, found)
  return found[0]
}
