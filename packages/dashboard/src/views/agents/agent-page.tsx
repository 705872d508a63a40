import { agents } from '../../data/agents.ts'
import { call } from '../../data/call.ts'
import { now } from '../../data/live/clock.ts'
import { feed } from '../../data/live/feed.ts'
import { ActButtons } from '../../parts/act-buttons.tsx'
import { nameOf } from '../../parts/agent/agent-order.ts'
import { EventLine } from '../../parts/event/event-line.tsx'
import { LeaseBar } from '../../parts/lease-bar.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { Ago, formatDuration } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { Who } from '../../parts/agent/who.tsx'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { agentPageWords } from '../../text/view/agent-page.ts'
import { WriteBox } from '../task/write-box.tsx'

/** One agent: what it is, what it holds, what it did lately, and a place to write to it. */
export function AgentPage({ name }: { readonly name: string }) {
  const agent = agents.value.find((one) => nameOf(one) === name || one.id === name)
  const lately = feed.value
    .filter((event) => event.agent === name || event.agentId === agent?.id)
    .slice(0, 60)
  return (
    <div class="agent-page">
      <p>
        <a href={toAddress('agents')}>← {agentPageWords.all}</a>
      </p>
      <h2 class="task-title">
        <Who name={name} />
      </h2>
      {agent === undefined && <p class="muted">{agentPageWords.missing}</p>}
      {agent !== undefined && (
        <dl class="key-table">
          <dt class="muted">{en.agents.presence[agent.presence]}</dt>
          <dd>
            {agentPageWords.seen} <Ago at={Date.parse(agent.seen_at)} />
          </dd>
          <Fact name={agentPageWords.client} parts={[agent.client, agent.model]} />
          <Fact name={agentPageWords.worktree} parts={[agent.worktree, agent.branch]} />
          <Record agent={agent.id} />
        </dl>
      )}
      <section class="panel">
        <header>
          <h2>{agentPageWords.holds}</h2>
        </header>
        {(agent?.held.length ?? 0) === 0 && <p class="empty">{agentPageWords.holdsNothing}</p>}
        <ul class="rows">
          {agent?.held.map(({ task, lease }) => (
            <li key={task.number} class="row">
              <span class="grow">
                <TaskLink number={task.number} title={task.title} />
              </span>
              <LeaseBar
                holder={{
                  id: agent.id,
                  name,
                  from: Date.parse(lease.granted_at),
                  until: Date.parse(lease.expires_at),
                }}
              />
              <ActButtons number={task.number} acts={['take-back']} />
            </li>
          ))}
        </ul>
      </section>
      <WriteBox to={name} />
      <section class="panel">
        <header>
          <h2>{agentPageWords.lately}</h2>
        </header>
        <ul class="rows">
          {lately.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ul>
      </section>
    </div>
  )
}

interface FactProps {
  readonly name: string
  readonly parts: readonly (string | undefined)[]
}

/** Left out when nothing is known of it. */
function Fact({ name, parts }: FactProps) {
  const known = parts.filter((part) => part !== undefined && part !== '')
  if (known.length === 0) return null
  return (
    <>
      <dt class="muted">{name}</dt>
      <dd>{known.join(' · ')}</dd>
    </>
  )
}

const MONTH = 30 * 86_400_000

/** How its leases of a month ended, and how long those took that it finished. */
function Record({ agent }: { readonly agent: string }) {
  const loaded = useLoad(
    (signal) => {
      const from = new Date(now.peek() - MONTH).toISOString()
      return call('lane.list', { agents: [agent], from }, { signal })
    },
    agent,
    { when: (type) => /^\*|^(?:task|lease)\./.test(type) },
  )
  if (loaded.state !== 'ready') return null
  const ended = loaded.value.spans.filter(({ end }) => end !== 'held')
  const done = ended.filter(({ end }) => end === 'done')
  const lost = ended.filter(({ end }) => end === 'expired').length
  const lengths = done.map(({ from, to }) => (to ?? from) - from).toSorted((a, b) => a - b)
  const median = lengths[lengths.length >> 1]
  return (
    <>
      <dt class="muted">{agentPageWords.record}</dt>
      <dd>
        {agentPageWords.doneAndLost(done.length, lost)}
        {median !== undefined && ` · ${agentPageWords.median(formatDuration(median))}`}
      </dd>
    </>
  )
}
