import type { Output } from '../../api.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

/** Relations and the code that refers to it. */
export function Linked({ linked }: { readonly linked: Output<'entity.get'>['linked'] }) {
  const { relations = [], code = [] } = linked
  if (relations.length + code.length === 0) return null
  return (
    <section>
      <h3>{en.knowledge.around}</h3>
      <ul>
        {relations.map(({ type, direction, entity }) => (
          <li key={`${type} ${direction} ${entity.number}`}>
            <span class="muted">
              {direction === 'from' ? '→' : '←'} {type.replaceAll('_', ' ')}
            </span>{' '}
            <a
              class="title-link"
              href={toAddress(entity.type === 'task' ? 't' : 'k', entity.number)}
            >
              <span class="number">#{entity.number}</span> {entity.title}
            </a>{' '}
            <span class="muted">{entity.status}</span>
          </li>
        ))}
        {code.flatMap(({ summary, places }) =>
          places.map((place) => (
            <li key={`${summary} ${place}`}>
              <a class="mono" href={toAddress('code', place.replace(/:.*$/, ''))}>
                {place}
              </a>{' '}
              <span class="muted">{summary}</span>
            </li>
          )),
        )}
      </ul>
    </section>
  )
}
