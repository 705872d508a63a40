import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { graphWords } from '../../text/view/graph.ts'

const PAGE = 50
const isRelation = (type: string): boolean => /^\*|^(?:relation|entity)\./.test(type)

/** What may be wrong in the graph: entities that block or contain each other, and what is linked to nothing. */
export function LooseEnds() {
  const cycles = useLoad((signal) => call('graph.cycles', {}, { signal }), 'cycles', {
    when: isRelation,
  })
  const orphans = useLoad(
    (signal) => call('graph.orphans', { limit: PAGE }, { signal }),
    'orphans',
    { when: isRelation },
  )
  return (
    <>
      <LoadedView of={cycles}>
        {({ cycles: found, total }) => (
          <Found
            heading={graphWords.cycles}
            none={graphWords.noCycles}
            shown={found}
            total={total}
          />
        )}
      </LoadedView>
      <LoadedView of={orphans}>
        {({ orphans: found, total }) => (
          <Found
            heading={graphWords.orphans}
            none={graphWords.noOrphans}
            shown={found.map((orphan) => [orphan])}
            total={total}
          />
        )}
      </LoadedView>
    </>
  )
}

type Entity = Output<'graph.orphans'>['orphans'][number]

interface FoundProps {
  readonly heading: string
  readonly none: string
  /** Chains of entities; one alone is a chain of one. */
  readonly shown: readonly (readonly Entity[])[]
  readonly total: number
}

function Found({ heading, none, shown, total }: FoundProps) {
  return (
    <section class="panel">
      <header>
        <h2>{heading}</h2>
        <span class="count">
          {shown.length < total ? graphWords.cyclesCut(shown.length, total) : total}
        </span>
      </header>
      {shown.length === 0 && <p class="empty">{none}</p>}
      <ul class="rows">
        {shown.map((chain) => (
          <li key={chain.map(({ number }) => number).join(' ')}>
            {chain.map(({ number, title, type }, at) => (
              <span key={number}>
                {at > 0 && <span class="muted"> → </span>}
                <a class="title-link" href={toAddress('graph', number)}>
                  <span class="number">#{number}</span> {title}
                </a>
                {chain.length === 1 && <span class="muted"> · {type}</span>}
              </span>
            ))}
            {chain.length > 1 && <span class="muted"> → #{chain[0]?.number}</span>}
          </li>
        ))}
      </ul>
      {shown.length < total && (
        <p class="panel-foot muted">{graphWords.more(total - shown.length)}</p>
      )}
    </section>
  )
}
