import type { Context } from '../../core/context.ts'
import type { Operation } from '../../core/operation.ts'
import { findDeletedToo } from '../../entity/find-deleted-too.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { plain } from '../terminal/escape.ts'
import { findTask } from '../../task/find-task.ts'

/** What a person is asked before a deletion: `Delete an entity and its relations: #12 Use SQLite?` */
export async function questionFor(
  context: Context,
  { name, summary }: Pick<Operation, 'name' | 'summary'>,
  words: readonly unknown[],
): Promise<string> {
  const find = context.remote === undefined ? FINDERS[name] : undefined
  const given = words.filter((word) => typeof word === 'string')
  const [first] = given
  const row = find === undefined || first === undefined ? undefined : await find(context, first)
  const what = row === undefined ? given.join(' ') : `#${row.number} ${row.title}`
  return what === '' ? `${summary}?` : `${summary}: ${plain(what)}?`
}

/** Operations that delete the entity which their first word names. A wrong word is refused before the question. */
const FINDERS: Readonly<
  Record<string, (context: Context, word: string) => Promise<{ number: number; title: string }>>
> = {
  'entity.delete': async ({ store }, word) => await findEntity(store.entities, word),
  'entity.purge': async ({ store }, word) => (await findDeletedToo(store.replica, word)).row,
  'task.delete': async ({ store }, word) => await findTask(store, word),
}
