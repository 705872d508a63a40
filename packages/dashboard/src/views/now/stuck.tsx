import { agents } from '../../data/agents.ts'
import { type Status, status } from '../../data/task/questions.ts'
import { ActButtons } from '../../parts/act-buttons.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { nameOf } from '../../parts/agent/agent-order.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

const SHOWN = 6

interface StuckTask {
  readonly number: number
  readonly title: string
  readonly why: string
}

/** What does not move: work of agents that are gone, overdue tasks, and tasks that wait, with what they wait for. */
export function Stuck() {
  const now = status.value
  const stuck = now === undefined ? [] : [...heldByGone(), ...overdue(now), ...waiting(now)]
  const total = (now?.blocked_total ?? 0) + (now?.overdue_total ?? 0)
  return (
    <section class="panel" aria-labelledby="stuck">
      <header>
        <h2 id="stuck">{en.now.stuck}</h2>
        <span class="count">{Math.max(total, stuck.length)}</span>
      </header>
      {now !== undefined && stuck.length === 0 && <p class="empty">{en.now.nothingStuck}</p>}
      <ul class="rows">
        {stuck.slice(0, SHOWN).map(({ number, title, why }) => (
          <li key={`${number} ${why}`} class="row">
            <span class="grow">
              <TaskLink number={number} title={title} />
              <span class="muted"> · {why}</span>
            </span>
            <ActButtons number={number} acts={['take-back']} />
          </li>
        ))}
      </ul>
      {Math.max(total, stuck.length) > SHOWN && (
        <p class="panel-foot">
          <a href={toAddress('board', '', { column: 'waiting' })}>{en.now.all(total)}</a>
        </p>
      )}
    </section>
  )
}

function heldByGone(): readonly StuckTask[] {
  return agents.value
    .filter(({ presence }) => presence === 'gone' || presence === 'offline')
    .flatMap((agent) =>
      agent.held.map(({ task }) => ({
        number: task.number,
        title: task.title,
        why: en.now.goneHolder(nameOf(agent)),
      })),
    )
}

function overdue({ overdue: tasks }: Status): readonly StuckTask[] {
  return tasks.map(({ number, title, due_date }) => ({
    number,
    title,
    why: en.now.overdue(due_date),
  }))
}

function waiting({ blocked }: Status): readonly StuckTask[] {
  return blocked.map(({ number, title, why }) => ({
    number,
    title,
    why: `${en.now.waitsFor} ${why}`,
  }))
}
