import { agents } from '../../data/agents.ts'
import { call } from '../../data/call.ts'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

const SHOWN = 5

/** Files that an agent changes now although a reason that is written down for them no longer fits the code. */
export function DriftedWork() {
  if (!agents.value.some(({ held }) => held.length > 0)) return null
  return <DriftedFiles />
}

function DriftedFiles() {
  const loaded = useLoad((signal) => call('code.tree', {}, { signal }), 'drifted', {
    when: (type) => type === '*' || /^(?:annotation\.|task\.(?:claimed|released|done))/.test(type),
  })
  if (loaded.state !== 'ready') return null
  const files = loaded.value.entries.filter(
    ({ path, regions, locked_by = [] }) =>
      !path.endsWith('/') && locked_by.length > 0 && lost(regions) > 0,
  )
  if (files.length === 0) return null
  return (
    <section class="panel" aria-labelledby="drifted-work">
      <header>
        <h2 id="drifted-work">{en.now.drifted}</h2>
        <span class="count">{files.length}</span>
      </header>
      <ul class="rows">
        {files.slice(0, SHOWN).map(({ path, regions, locked_by = [] }) => (
          <li key={path}>
            <a class="mono" href={toAddress('code', path)}>
              {path}
            </a>
            <span class="muted"> · {en.now.noLongerFits(lost(regions))} · </span>
            {locked_by.map(({ agent, task }) => (
              <span key={`${agent} ${task}`}>
                {en.now.changesIt(agent)} <TaskLink number={task} />{' '}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function lost(regions: Readonly<Record<string, number>>): number {
  return (regions['drifted'] ?? 0) + (regions['orphaned'] ?? 0)
}
