import { describeTrust, showProvenance, type TrustFacts } from '../agent/trust-text.ts'
import {
  BLANK,
  type Block,
  bold,
  type Column,
  field,
  joined,
  type Line,
  line,
  quote,
  table,
  textField,
  titled,
  titles,
  type Value,
} from '../core/show.ts'
import { toVisibleJson } from '../support/text/visible-text.ts'
import type { Linked } from './linked/linked.ts'
import { showLinked, showLinkedToAgent, showNumbered } from './linked/show.ts'
import type { EntityView } from './view.ts'

/** An entity as any operation returns it, with the facts that only looking it up tells. */
type ShownEntity = EntityView & { readonly trust?: TrustFacts; readonly linked?: Linked }

export function showEntity(entity: ShownEntity): readonly Block[] {
  const { type, title, content, properties, tags, trust = {}, linked = {} } = entity
  return [
    line`${bold(displayId(entity))} ${type}: ${bold(title)}`,
    ...Object.entries(properties).flatMap(([name, value]) =>
      field(name, showSuccessor(name, linked) ?? showProperty(value)),
    ),
    ...field('tags', joined(tags)),
    ...field('created', joined([entity.created_at, entity.created_by], ' by ')),
    ...field('updated', entity.updated_at),
    ...field('trust', joined(describeTrust(trust))),
    ...showLinked(linked, entity),
    ...(content === undefined ? [] : [BLANK, ...quote(content)]),
  ]
}

type Property = EntityView['properties'][string]

/** The property holds an id, which says nothing to a reader. */
function showSuccessor(name: string, { superseded_by: successor }: Linked): Line | undefined {
  return name === 'superseded_by' && successor !== undefined ? showNumbered(successor) : undefined
}

/** The fields of a type hold text, numbers, lists or JSON; this does not depend on which. */
function showProperty(value: Property): Value {
  if (Array.isArray(value)) return joined(value.map(showScalar))
  return showScalar(value)
}

function showScalar(value: Property): Value {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An entity for a model, under its number, with every field by its name. */
export function showEntityToAgent(entity: ShownEntity): readonly Block[] {
  const { linked = {}, trust = {} } = entity
  const successor = showSuccessor('superseded_by', linked)
  const { superseded_by: number, ...provenance } = trust
  return [
    nameToAgent(entity),
    ...showProvenance(provenance),
    ...field('superseded_by', successor ?? number),
    ...Object.entries(entity.properties)
      .filter(([name]) => successor === undefined || name !== 'superseded_by')
      .flatMap(([name, value]) => showStored(distinctName(name), value)),
    ...field('tags', titles(entity.tags)),
    ...textField('created_by', entity.created_by),
    ...field('created_at', entity.created_at),
    ...field('updated_at', entity.updated_at),
    ...showLinkedToAgent(linked),
    ...quote(entity.content),
  ]
}

/** `#12 decision: Use SQLite` */
export function nameToAgent({ number, type, title }: EntityView): Line {
  return line`#${number} ${type}: ${titled(title)}`
}

const PROVENANCE_FIELDS: ReadonlySet<string> = new Set([
  'via',
  'remote',
  'signature',
  'signer',
  'claimed',
])

/** The name of a stored property, with a prefix where it could pass for provenance. */
export function distinctName(name: string): string {
  return PROVENANCE_FIELDS.has(name) ? `properties.${name}` : name
}

function showStored(name: string, value: Property): readonly Block[] {
  if (typeof value === 'string') return textField(name, value)
  if (Array.isArray(value)) return field(name, joined(value.map(showItem), '; '))
  return value === undefined || value === null ? [] : field(name, toVisibleJson(value))
}

function showItem(value: Property): Line {
  return titled(typeof value === 'string' ? value : toVisibleJson(value))
}

const COLUMNS: readonly Column<EntityView>[] = [
  { head: 'ID', value: displayId },
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'STATUS', value: ({ properties: { status } }) => showScalar(status) },
  { head: 'TITLE', value: ({ title }) => title },
  { head: 'TAGS', value: ({ tags }) => joined(tags) },
]

export function showEntities({
  entities,
  total,
}: {
  readonly entities: readonly EntityView[]
  readonly total: number
}): readonly Block[] {
  if (entities.length === 0) {
    return [total === 0 ? line`nothing found` : line`nothing at this offset; ${total} in all`]
  }
  const rest = entities.length < total ? [line`${entities.length} of ${total}`] : []
  return [table(entities, COLUMNS), ...rest]
}

interface Labelled {
  readonly id: string
  readonly number: number
  readonly title: string
}

/** `012 (0199c4e)` */
export function displayId({ id, number }: Omit<Labelled, 'title'>): Line {
  return line`${String(number).padStart(3, '0')} (${id.slice(0, 7)})`
}

export function label(entity: Labelled): Line {
  return line`${displayId(entity)} ${entity.title}`
}
