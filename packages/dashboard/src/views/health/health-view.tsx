import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { codeWords } from '../../text/view/code.ts'
import { healthWords } from '../../text/view/health.ts'
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
              heading={healthWords.store}
              isGood={!store.is_scarce}
              command="waymark health show"
            >
              {store.bytes !== undefined && (
                <p>{healthWords.size(formatNumber(Math.ceil(store.bytes / MEGABYTE)))}</p>
              )}
              {store.free_bytes !== undefined && (
                <p>{healthWords.free(formatNumber(Math.floor(store.free_bytes / MEGABYTE)))}</p>
              )}
              <p>
                {Object.entries(stats.entity_counts)
                  .filter(([, number]) => Number(number) > 0)
                  .map(([type, number]) => count(Number(number), type, `${type}s`))
                  .join(', ')}
              </p>
              <p>
                {formatNumber(stats.relation_count)} {healthWords.relations},{' '}
                {formatNumber(store.events)} {healthWords.events}
              </p>
            </HealthCard>
            <HealthCard
              heading={healthWords.index}
              isGood={index.is_current}
              command="waymark cache stats"
            >
              <p>{index.is_current ? healthWords.current : healthWords.stale}</p>
              <p>
                {formatNumber(index.words)} {healthWords.words}, {formatNumber(index.vectors)}{' '}
                {healthWords.vectors}
              </p>
            </HealthCard>
            <HealthCard
              heading={healthWords.sync}
              isGood={sync.refusal === undefined}
              command="waymark sync"
            >
              <p>{sync.unsent === 0 ? healthWords.sent : healthWords.unsent(sync.unsent)}</p>
              {sync.refusal !== undefined && (
                <p class="mark bad">
                  {healthWords.refused} {sync.refusal}
                </p>
              )}
            </HealthCard>
            <HealthCard
              heading={healthWords.annotations}
              isGood={code.unreadable === 0}
              command="waymark code status"
            >
              <p>{codeWords.reasons(code.total_annotations)}</p>
              <p>{healthWords.coverage(Math.round(code.coverage_pct))}</p>
            </HealthCard>
            <HealthCard
              heading={healthWords.hooks}
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
      heading={healthWords.leases}
      isGood={leases.every(({ lost }) => lost === 0)}
      command="waymark lane list"
    >
      {leases.length === 0 && <p>{healthWords.noLeases}</p>}
      {leases.slice(0, 8).map(({ agent, leases: count, lost }) => (
        <p key={agent}>
          <a href={toAddress('agents', agent)}>{agent}</a>{' '}
          <span class={lost > 0 ? 'mark bad' : 'muted'}>{healthWords.lost(lost, count)}</span>
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
