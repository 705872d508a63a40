import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'

/** What would have to be looked at again if it changed. */
export function Impact({ number }: { readonly number: number }) {
  const loaded = useLoad(
    (signal) => call('graph.impact', { id: String(number) }, { signal }),
    String(number),
  )
  return (
    <section>
      <h3>{knowledgeWords.impact}</h3>
      <LoadedView of={loaded}>
        {({ nodes }) => (
          <ul>
            {nodes.length === 0 && <li class="muted">{knowledgeWords.noImpact}</li>}
            {nodes.map(({ number: other, title, type, status }) => (
              <li key={other}>
                <a class="title-link" href={toAddress(type === 'task' ? 't' : 'k', other)}>
                  <span class="number">#{other}</span> {title}
                </a>{' '}
                <span class="muted">{status === undefined ? type : `${type} · ${status}`}</span>
              </li>
            ))}
          </ul>
        )}
      </LoadedView>
    </section>
  )
}
