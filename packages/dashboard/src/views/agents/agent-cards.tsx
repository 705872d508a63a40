import { agents, areAgentsLoaded } from '../../data/agents.ts'
import { AgentLine } from '../../parts/agent/agent-line.tsx'
import { byWork } from '../../parts/agent/agent-order.ts'
import { Skeleton } from '../../parts/loaded-view.tsx'
import { en } from '../../text/en.ts'
import { StartAgents } from '../now/start-agents.tsx'

export function AgentCards() {
  if (!areAgentsLoaded.value) return <Skeleton />
  if (agents.value.length === 0) {
    return (
      <div class="panel empty">
        <StartAgents />
      </div>
    )
  }
  return (
    <ul class="agent-cards" aria-label={en.shell.working}>
      {agents.value.toSorted(byWork).map((agent) => (
        <li key={agent.id} class="panel">
          <ul>
            <AgentLine agent={agent} />
          </ul>
          <p class="muted clip">
            {[agent.client, agent.model, agent.branch]
              .filter((text) => text !== undefined)
              .join(' · ')}
          </p>
        </li>
      ))}
    </ul>
  )
}
