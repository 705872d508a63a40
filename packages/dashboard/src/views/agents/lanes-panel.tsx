import { now } from '../../data/live/clock.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { route, setQuery } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { lanesWords } from '../../text/view/lanes.ts'
import { Lanes } from './lanes.tsx'
import { LanesTable } from './lanes-table.tsx'
import { Legend } from './legend.tsx'
import { loadSpans } from './load-spans.ts'

const HOUR = 3_600_000
const RANGES = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, all: Infinity } as const
type Range = keyof typeof RANGES

/** Leases over time: as lanes, or as a table with the same rows. */
export function LanesPanel() {
  const { query } = route.value
  const range =
    (Object.keys(RANGES) as Range[]).find((name) => name === query.get('range')) ?? 'day'
  const isTable = query.get('as') === 'table'
  const since = (): number => Math.max(0, now.peek() - RANGES[range])
  const loaded = useLoad((signal) => loadSpans(since(), signal), range, {
    when: (type) => type === '*' || type.startsWith('task.') || type.startsWith('lease.'),
  })
  return (
    <section class="panel lanes-panel" aria-label={en.views.agents}>
      <header>
        <h2>{lanesWords.heading}</h2>
        <span class="count filters">
          <span class="segmented" role="group">
            {(Object.keys(RANGES) as Range[]).map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={range === name}
                onClick={() => setQuery({ range: name })}
              >
                {lanesWords.range[name]}
              </button>
            ))}
          </span>
          {!isTable && (
            <span class="segmented" role="group">
              {(['agent', 'task'] as const).map((name) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={(query.get('by') === 'task') === (name === 'task')}
                  onClick={() => setQuery({ by: name === 'task' ? 'task' : '' })}
                >
                  {name === 'task' ? lanesWords.byTask : lanesWords.byAgent}
                </button>
              ))}
            </span>
          )}
          <button type="button" onClick={() => setQuery({ as: isTable ? '' : 'table' })}>
            {isTable ? lanesWords.picture : lanesWords.table}
          </button>
        </span>
      </header>
      <LoadedView of={loaded}>
        {({ spans, isCut, ...others }) => (
          <>
            {isCut && <p class="empty">{lanesWords.cut(spans.length)}</p>}
            {spans.length === 0 ? (
              <p class="empty">{lanesWords.none}</p>
            ) : isTable ? (
              <LanesTable spans={spans} />
            ) : (
              <Lanes spans={spans} isCut={isCut} {...others} />
            )}
          </>
        )}
      </LoadedView>
      {!isTable && <Legend />}
    </section>
  )
}
