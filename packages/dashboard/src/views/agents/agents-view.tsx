import { route } from '../../shell/router.ts'
import { AgentCards } from './agent-cards.tsx'
import { AgentPage } from './agent-page.tsx'
import { LanesPanel } from './lanes-panel.tsx'

/** Who is here, and who held what when. */
export function AgentsView() {
  const name = route.value.rest
  if (name !== '') return <AgentPage key={name} name={name} />
  return (
    <div class="agents">
      <LanesPanel />
      <AgentCards />
    </div>
  )
}
