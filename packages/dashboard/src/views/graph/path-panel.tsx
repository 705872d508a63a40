import { graphWords } from '../../text/view/graph.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'

const LONGEST = 8

/** How two things hang together: the shortest chain of relations between them. */
export function PathPanel({ from, to }: { readonly from: number; readonly to: string }) {
  const loaded = useLoad(
    (signal) => call('graph.path', { from: String(from), to, max_depth: LONGEST }, { signal }),
    `${from} ${to}`,
    { when: (type) => type === '*' || type.startsWith('relation.') },
  )
  return (
    <LoadedView of={loaded}>
      {({ path, relations, length }) =>
        length === null ? (
          <p class="muted" role="status">
            {graphWords.noPath(from, `#${to.replace('#', '')}`)}
          </p>
        ) : (
          <section class="panel graph-path" aria-label={graphWords.path(length)}>
            <p class="muted" role="status">
              {graphWords.path(length)}
            </p>
            <ol class="rows">
              {path.map(({ number, title }, at) => {
                const relation = relations[at]
                const isForward = relation?.source === number
                return (
                  <li key={number}>
                    <a class="title-link" href={toAddress('graph', number)}>
                      <span class="number">#{number}</span> {title}
                    </a>
                    {relation !== undefined && (
                      <span class="muted">
                        {' '}
                        {isForward ? '→' : '←'} {relation.type.replaceAll('_', ' ')}
                      </span>
                    )}
                  </li>
                )
              })}
            </ol>
          </section>
        )
      }
    </LoadedView>
  )
}
