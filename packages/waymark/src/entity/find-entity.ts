import { parseReference, toDisplayId } from './reference.ts'
import { Failure } from '../core/error.ts'
import type { EntityReader, EntityRow } from './store.ts'
import { quote, toTitle } from '../support/text/visible-text.ts'

const CANDIDATES_SHOWN = 10

/**
 * The one entity that `text` names, by number or id prefix. `field` is the input field to blame when there is none. A
 * number that a sync has given to another entity lately is ambiguous, unless a # says that it is the present one.
 */
export async function findEntity(
  entities: EntityReader,
  text: string,
  field = 'id',
): Promise<EntityRow> {
  const { number, prefix } = parseReference(text, field)
  const numbered = number === undefined ? [] : await findNumbered(entities, number, text, field)
  const named = prefix === undefined ? [] : await entities.byIdPrefix(prefix, CANDIDATES_SHOWN + 1)
  return exactlyOne([...numbered, ...named], text, field)
}

/** What `findEntity` reads of a number. */
export function readsOfReference(entities: EntityReader, text: string): Promise<unknown>[] {
  const { number } = parseReference(text, 'id')
  return number === undefined
    ? []
    : [entities.byNumber(number), entities.formerly(number, 'lately')]
}

async function findNumbered(
  entities: EntityReader,
  number: number,
  text: string,
  field: string,
): Promise<readonly EntityRow[]> {
  const present = await entities.byNumber(number)
  if (present === undefined) return await entities.formerly(number, 'ever')
  if (text.trim().startsWith('#')) return [present]
  const [former] = await entities.formerly(number, 'lately')
  if (former === undefined || former.id === present.id) return [present]
  throw renumbered(text, field, { present, former })
}

/** The single match; no match or several matches are an error. */
export function exactlyOne(rows: readonly EntityRow[], text: string, field: string): EntityRow {
  const [found] = rows
  if (found === undefined) return fail(text, field)
  const others = rows.filter(({ id }) => id !== found.id)
  if (others.length > 0) throw ambiguous(text, field, [found, ...others])
  return found
}

function fail(text: string, field: string): never {
  throw new Failure('not_found', `no entity has the number or id ${quote(text)}`, {
    details: { field, id: text.slice(0, 100), kind: 'entity' },
  })
}

function renumbered(
  text: string,
  field: string,
  { present, former }: { readonly present: EntityRow; readonly former: EntityRow },
): Failure {
  const rows = [present, former].map(({ id, number, type, title }) => ({ id, number, type, title }))
  const [now, then] = [present, former].map((row) => `${toDisplayId(row)} ${toTitle(row.title)}`)
  return new Failure(
    'ambiguous_id',
    `${field}: ${quote(text)} is ${now} since a sync, and was ${then} before; say ${toDisplayId(present)} or ${former.number}`,
    { details: { field, id: text, candidates: rows } },
  )
}

export function ambiguous(text: string, field: string, rows: readonly EntityRow[]): Failure {
  const shown = rows.slice(0, CANDIDATES_SHOWN)
  const names = shown.map(toDisplayId).join(', ')
  const rest = rows.length > CANDIDATES_SHOWN ? ' and more' : ''
  return new Failure(
    'ambiguous_id',
    `${field}: ${quote(text)} could be ${names}${rest}; use # and the number, or more of the id`,
    {
      details: {
        field,
        id: text,
        candidates: shown.map(({ id, number, type, title }) => ({ id, number, type, title })),
      },
    },
  )
}
