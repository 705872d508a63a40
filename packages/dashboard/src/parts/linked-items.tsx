import type { Output } from '../api.ts'
import { toAddress } from '../shell/router.ts'

type Linked = Output<'entity.get'>['linked']

/** Items of a list: the relations of an entity, in both directions. */
export function RelationItems({
  relations = [],
  hasStatus = false,
}: {
  readonly relations: Linked['relations']
  readonly hasStatus?: boolean
}) {
  return relations.map(({ type, direction, entity }) => (
    <li key={`${type} ${direction} ${entity.number}`}>
      <span class="muted">
        {direction === 'from' ? '→' : '←'} {type.replaceAll('_', ' ')}
      </span>{' '}
      <a class="title-link" href={toAddress(entity.type === 'task' ? 't' : 'k', entity.number)}>
        <span class="number">#{entity.number}</span> {entity.title}
      </a>
      {hasStatus && <span class="muted"> {entity.status}</span>}
    </li>
  ))
}

/** Items of a list: the places in code whose annotations refer to an entity. */
export function CodeItems({ code = [] }: { readonly code: Linked['code'] }) {
  return code.flatMap(({ summary, places }) =>
    places.map((place) => (
      <li key={`${summary} ${place}`}>
        <a class="mono" href={toAddress('code', place.replace(/:.*$/, ''))}>
          {place}
        </a>{' '}
        <span class="muted">{summary}</span>
      </li>
    )),
  )
}
