import { agents, areAgentsLoaded } from '../../data/agents.ts'
import { AgentLine } from '../../parts/agent/agent-line.tsx'
import { byWork } from '../../parts/agent/agent-order.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

const SHOWN = 12

/** Which agent does what, and for how long its lease still runs. */
export function Working() {
  const working = agents.value.filter(({ held }) => held.length > 0).toSorted(byWork)
  return (
    <section class="panel" aria-labelledby="working">
      <header>
        <h2 id="working">{en.now.working}</h2>
        <span class="count">{working.length}</span>
      </header>
      {areAgentsLoaded.value && working.length === 0 && <p class="empty">{en.now.nobodyWorks}</p>}
      <ul class="rows">
        {working.slice(0, SHOWN).map((agent) => (
          <AgentLine key={agent.id} agent={agent} />
        ))}
      </ul>
      {working.length > SHOWN && (
        <a href={toAddress('agents')}>{en.shell.more(working.length - SHOWN)}</a>
      )}
    </section>
  )
}
