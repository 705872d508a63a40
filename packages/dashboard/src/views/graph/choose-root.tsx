import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { graphWords } from '../../text/view/graph.ts'

/** Decisions to start from. */
export function ChooseRoot() {
  const loaded = useLoad(
    (signal) => call('entity.list', { type: 'decision', limit: 30 }, { signal }),
    'roots',
  )
  return (
    <LoadedView of={loaded}>
      {({ entities }) => (
        <div class="panel">
          <p class="empty">{graphWords.choose}</p>
          <ul class="rows">
            {entities.map(({ number, title }) => (
              <li key={number}>
                <a class="title-link" href={toAddress('graph', number)}>
                  <span class="number">#{number}</span> {title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </LoadedView>
  )
}
