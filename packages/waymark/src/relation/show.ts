import { type Block, type Column, type Line, line, table } from '../core/show.ts'
import { type EntityLabel, label } from '../entity/view.ts'
import type { RelationLabel } from './view.ts'

const COLUMNS: readonly Column<RelationLabel>[] = [
  { head: 'SOURCE', value: ({ source }) => label(source) },
  { head: 'RELATION', value: ({ type }) => type },
  { head: 'TARGET', value: ({ target }) => label(target) },
]

export function showRelations({
  entity,
  outgoing,
  incoming,
}: {
  readonly entity: EntityLabel
  readonly outgoing: readonly RelationLabel[]
  readonly incoming: readonly RelationLabel[]
}): readonly Block[] {
  const relations = [...outgoing, ...incoming]
  return [
    relations.length === 0 ? line`${label(entity)} has no relations` : table(relations, COLUMNS),
  ]
}

export function showRelation({ source, type, target }: RelationLabel): Line {
  return line`${label(source)} ${type} ${label(target)}`
}
