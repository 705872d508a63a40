import { agents } from '../../data/agents.ts'
import { isLoaded } from '../../data/live/live.ts'
import { needCount, parkedTasks } from '../../data/task/needs.ts'
import { proposals, status } from '../../data/task/questions.ts'
import { Skeleton } from '../../parts/loaded-view.tsx'
import { later } from '../../shell/later.tsx'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { ChangedTwice } from './changed-twice.tsx'
import { Question } from './question.tsx'
import { TaskNeed } from './task-need.tsx'

const StartAgents = later(async () => (await import('./start-agents.tsx')).StartAgents)
const Proposal = later(async () => (await import('./proposal.tsx')).Proposal)

/** Questions first, because an agent waits for each, then work to verify, proposed decisions, tasks set aside, and edits that collided. */
export function NeedsYou() {
  const now = status.value
  if (now === undefined || !isLoaded.value)
    return (
      <Panel>
        <Skeleton />
      </Panel>
    )
  const working = agents.value.filter(({ held }) => held.length > 0).length
  if (needCount.value === 0) {
    return (
      <Panel>
        <div class="empty">
          <p>{en.now.nothing(working)}</p>
          {agents.value.length === 0 && <StartAgents />}
        </div>
      </Panel>
    )
  }
  const left = now.to_verify_total - now.to_verify.length
  return (
    <Panel>
      <ul class="rows">
        {now.questions.map((question) => (
          <Question key={question.id ?? `#${question.number}`} question={question} />
        ))}
        {now.to_verify.map(({ number, title, by }) => (
          <TaskNeed
            key={number}
            number={number}
            title={title}
            state="to_verify"
            why={by === undefined ? '' : en.now.doneBy(by)}
            acts={['verify', 'reopen']}
          />
        ))}
        {proposals.value.entities.map(({ number, title, created_by }) => (
          <Proposal key={number} number={number} title={title} by={created_by} />
        ))}
        {parkedTasks.value.map(({ number, title }) => (
          <TaskNeed
            key={number}
            number={number}
            title={title}
            state="parked"
            why={en.now.setAside}
            acts={['take', 'reopen', 'cancel']}
          />
        ))}
        {now.changed_twice.map((entry) => (
          <ChangedTwice key={entry.number} {...entry} />
        ))}
        {left > 0 && (
          <li>
            <a href={toAddress('board', '', { column: 'to_verify' })}>
              {en.now.all(now.to_verify_total)}
            </a>
          </li>
        )}
        {proposals.value.total > proposals.value.entities.length && (
          <li>
            <a href={toAddress('knowledge')}>{en.now.allProposed(proposals.value.total)}</a>
          </li>
        )}
      </ul>
    </Panel>
  )
}

function Panel({ children }: { readonly children: preact.ComponentChildren }) {
  return (
    <section class="panel needs" aria-labelledby="needs-you">
      <header>
        <h2 id="needs-you">{en.now.needsYou}</h2>
        {needCount.value > 0 && <span class="badge">{needCount.value}</span>}
      </header>
      {children}
    </section>
  )
}
