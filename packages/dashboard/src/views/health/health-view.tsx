import { call } from '../../data/call.ts'
import { cursor } from '../../data/live/live.ts'
import { status } from '../../data/task/questions.ts'
import { Command } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { en } from '../../text/en.ts'
import { formatNumber } from '../../text/plural.ts'
import { HealthCard } from './health-card.tsx'

/** How the store, the index, the exchange with other clones and the reasons for code are. */
export function HealthView() {
  const loaded = useLoad(loadHealth, 'health')
  return (
    <LoadedView of={loaded}>
      {({ stats, index, code, hooks }) => (
        <div class="health">
          <HealthCard heading={en.health.store} isGood command="waymark doctor">
            {Object.entries(stats.entity_counts).map(([type, count]) => (
              <p key={type}>
                {formatNumber(Number(count))} {type}
              </p>
            ))}
            <p>
              {formatNumber(stats.relation_count)} {en.health.relations}
            </p>
            <p>
              {formatNumber(cursor.value)} {en.health.events}
            </p>
          </HealthCard>
          <HealthCard
            heading={en.health.index}
            isGood={index.is_current}
            command="waymark cache rebuild"
          >
            <p>{index.is_current ? en.health.current : en.health.stale}</p>
            <p>
              {formatNumber(index.words)} {en.health.words}, {formatNumber(index.vectors)}{' '}
              {en.health.vectors}
            </p>
          </HealthCard>
          <HealthCard
            heading={en.health.sync}
            isGood={status.value?.push_refusal === undefined}
            command="waymark sync"
          >
            <p>
              {(status.value?.unsent ?? 0) === 0
                ? en.health.sent
                : en.health.unsent(status.value?.unsent ?? 0)}
            </p>
            {status.value?.push_refusal !== undefined && (
              <p class="mark bad">
                {en.health.refused} {status.value.push_refusal}
              </p>
            )}
          </HealthCard>
          <HealthCard
            heading={en.health.annotations}
            isGood={code.unreadable === 0}
            command="waymark code verify"
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
          <section class="panel health-card">
            <header>
              <h2>{en.health.checks}</h2>
            </header>
            <p>{en.health.asCommand}</p>
            <Command text="waymark store check" />
            <Command text="waymark doctor" />
          </section>
        </div>
      )}
    </LoadedView>
  )
}

async function loadHealth(signal: AbortSignal) {
  const [stats, index, code, hooks] = await Promise.all([
    call('project.stats', {}, { signal }),
    call('cache.stats', {}, { signal }),
    call('code.status', {}, { signal }),
    call('code.hooks', {}, { signal }),
  ])
  return { stats, index, code, hooks }
}
