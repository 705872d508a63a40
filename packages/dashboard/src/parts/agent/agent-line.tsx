import type { Agent } from '../../data/agents.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { nameOf } from './agent-order.ts'
import { LeaseBar } from '../lease-bar.tsx'
import { Ago } from '../time.tsx'
import { Initials } from './who.tsx'

/** One agent in two lines: who it is, and what it does. */
export function AgentLine({ agent }: { readonly agent: Agent }) {
  const [first] = agent.held
  return (
    <li class="agent-line">
      <Initials name={nameOf(agent)} />
      <a class="clip title-link" href={toAddress('agents', nameOf(agent))}>
        <strong>{nameOf(agent)}</strong>
      </a>
      {first === undefined ? (
        <span class="muted">{en.agents.presence[agent.presence]}</span>
      ) : (
        <LeaseBar
          holder={{
            id: agent.id,
            name: nameOf(agent),
            from: Date.parse(first.lease.granted_at),
            until: Date.parse(first.lease.expires_at),
          }}
        />
      )}
      <span class="clip does">
        {first === undefined ? (
          <Ago at={Date.parse(agent.seen_at)} />
        ) : (
          <a
            class="muted"
            href={toAddress('t', first.task.number)}
            title={first.task.title}
            data-task={first.task.number}
          >
            {agent.presence === 'gone' && (
              <span class="mark warn">▲ {en.agents.presence.gone}&nbsp;</span>
            )}
            #{first.task.number} {first.task.title}
            {agent.held.length > 1 && ` +${agent.held.length - 1}`}
          </a>
        )}
      </span>
    </li>
  )
}
