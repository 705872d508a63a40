import { agents, areAgentsLoaded } from '../../data/agents.ts'
import { feed } from '../../data/live/feed.ts'
import { AgentLine } from '../../parts/agent/agent-line.tsx'
import { EventLine } from '../../parts/event/event-line.tsx'
import { byWork } from '../../parts/agent/agent-order.ts'
import { isNoise } from '../../parts/event/event-words.ts'
import { en } from '../../text/en.ts'
import { toAddress } from '../router.ts'

const AGENTS_SHOWN = 8
const EVENTS_SHOWN = 40

/** Who does what, and what just happened, beside every view. */
export function Rail() {
  const present = agents.value.toSorted(byWork)
  const left = present.length - AGENTS_SHOWN
  return (
    <aside class="rail" aria-label={en.shell.live}>
      <section>
        <h2>{en.shell.working}</h2>
        {areAgentsLoaded.value && present.length === 0 && <p class="muted">{en.shell.noAgents}</p>}
        <ul>
          {present.slice(0, AGENTS_SHOWN).map((agent) => (
            <AgentLine key={agent.id} agent={agent} />
          ))}
        </ul>
        {left > 0 && <a href={toAddress('agents')}>{en.shell.more(left)}</a>}
      </section>
      <section>
        <h2>{en.shell.happening}</h2>
        {feed.value.length === 0 && <p class="muted">{en.shell.nothingYet}</p>}
        <ul>
          {feed.value
            .filter((event) => !isNoise(event))
            .slice(0, EVENTS_SHOWN)
            .map((event) => (
              <EventLine key={event.id} event={event} />
            ))}
        </ul>
      </section>
    </aside>
  )
}
