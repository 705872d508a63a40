import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { count, formatNumber } from '../../text/plural.ts'
import { HealthCard } from './health-card.tsx'
import { Jobs } from './jobs.tsx'

const MEGABYTE = 1024 * 1024

/** How the store, the index, the exchange with other clones and the reasons for code are, and what can be checked. */
export function HealthView() {
  const loaded = useLoad(loadHealth, 'health', {
    when: (type) => type === '*' || type === 'job.ended',
  })
  return (
    <LoadedView of={loaded}>
      {({ stats, index, code, hooks, health: { store, sync, last, leases } }) => (
        <div class="health-view">
          <Jobs last={last} />
          <div class="health">
            <HealthCard
              heading={en.health.store}
              isGood={!store.is_scarce}
              command="waymark health show"
            >
              {store.bytes !== undefined && (
                <p>{en.health.size(formatNumber(Math.ceil(store.bytes / MEGABYTE)))}</p>
              )}
              {store.free_bytes !== undefined && (
                <p>{en.health.free(formatNumber(Math.floor(store.free_bytes / MEGABYTE)))}</p>
              )}
              <p>
                {Object.entries(stats.entity_counts)
                  .filter(([, number]) => Number(number) > 0)
                  .map(([type, number]) => count(Number(number), type, `${type}s`))
                  .join(', ')}
              </p>
              <p>
                {formatNumber(stats.relation_count)} {en.health.relations},{' '}
                {formatNumber(store.events)} {en.health.events}
              </p>
            </HealthCard>
            <HealthCard
              heading={en.health.index}
              isGood={index.is_current}
              command="waymark cache stats"
            >
              <p>{index.is_current ? en.health.current : en.health.stale}</p>
              <p>
                {formatNumber(index.words)} {en.health.words}, {formatNumber(index.vectors)}{' '}
                {en.health.vectors}
              </p>
            </HealthCard>
            <HealthCard
              heading={en.health.sync}
              isGood={sync.refusal === undefined}
              command="waymark sync"
            >
              <p>{sync.unsent === 0 ? en.health.sent : en.health.unsent(sync.unsent)}</p>
              {sync.refusal !== undefined && (
                <p class="mark bad">
                  {en.health.refused} {sync.refusal}
                </p>
              )}
            </HealthCard>
            <HealthCard
              heading={en.health.annotations}
              isGood={code.unreadable === 0}
              command="waymark code status"
            >
              <p>{en.code.reasons(code.total_annotations)}</p>
              <p>{en.health.coverage(Math.round(code.coverage_pct))}</p>
            </HealthCard>
            <HealthCard
              heading={en.health.hooks}
              isGood={hooks.hooks.every(({ state }) => state !== 'foreign')}
              command="waymark code hooks install"
            >
              {hooks.hooks.map(({ hook, state }) => (
                <p key={hook}>
                  <span class="mono">{hook}</span> {state.replaceAll('_', ' ')}
                </p>
              ))}
            </HealthCard>
            <Leases leases={leases} />
          </div>
        </div>
      )}
    </LoadedView>
  )
}

function Leases({ leases }: Pick<Output<'health.show'>, 'leases'>) {
  return (
    <HealthCard
      heading={en.health.leases}
      isGood={leases.every(({ lost }) => lost === 0)}
      command="waymark lane list"
    >
      {leases.length === 0 && <p>{en.health.noLeases}</p>}
      {leases.slice(0, 8).map(({ agent, leases: count, lost }) => (
        <p key={agent}>
          <a href={toAddress('agents', agent)}>{agent}</a>{' '}
          <span class={lost > 0 ? 'mark bad' : 'muted'}>{en.health.lost(lost, count)}</span>
        </p>
      ))}
    </HealthCard>
  )
}

async function loadHealth(signal: AbortSignal) {
  const [stats, index, code, hooks, health] = await Promise.all([
    call('project.stats', {}, { signal }),
    call('cache.stats', {}, { signal }),
    call('code.status', {}, { signal }),
    call('code.hooks', {}, { signal }),
    call('health.show', {}, { signal }),
  ])
  return { stats, index, code, hooks, health }
}
