import type { ComponentChildren } from 'preact'
import { taskAt } from '../../data/task/tasks.ts'
import { CodeItems, RelationItems } from '../../parts/linked-items.tsx'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import type { FullTask } from './task-head.tsx'

/** What the task is connected with. */
export function TaskSide({ task }: { readonly task: FullTask }) {
  const { linked } = task
  return (
    <aside class="task-side">
      <Tasks heading={en.task.waitsFor} tasks={task.blockers} />
      <Tasks heading={en.task.blocks} tasks={task.blocks} />
      <Tasks heading={en.task.subtasks} tasks={task.subtasks} />
      <Tasks heading={en.task.found} tasks={task.discovered_from} />
      <Section heading={en.task.linked} count={linked.relations?.length ?? 0}>
        <RelationItems relations={linked.relations} />
      </Section>
      <Section heading={en.task.codeOf} count={linked.code?.length ?? 0}>
        <CodeItems code={linked.code} />
      </Section>
      <Section heading={en.task.locks} count={task.locks.length}>
        {task.locks.map((pattern) => (
          <li key={pattern} class="mono">
            {pattern}
          </li>
        ))}
      </Section>
      <Section heading={en.task.artifacts} count={linked.artifacts?.length ?? 0}>
        {linked.artifacts?.map(({ id, name, mime, size }) => (
          <li key={id}>
            {name ?? id.slice(0, 8)} <span class="muted">{`${mime}, ${size} B`}</span>
          </li>
        ))}
      </Section>
      <a class="button" href={toAddress('graph', task.number)}>
        {en.views.graph}
      </a>
    </aside>
  )
}

function Tasks({
  heading,
  tasks,
}: {
  readonly heading: string
  readonly tasks: FullTask['blockers']
}) {
  return (
    <Section heading={heading} count={tasks.length}>
      {tasks.map(({ number, title }) => {
        const row = taskAt(number)
        return (
          <li key={number}>
            {row !== undefined && <StateMark state={stateOf(row)} shapeOnly />}{' '}
            <TaskLink number={number} title={title} />
          </li>
        )
      })}
    </Section>
  )
}

interface SectionProps {
  readonly heading: string
  readonly count: number
  readonly children: ComponentChildren
}

function Section({ heading, count, children }: SectionProps) {
  if (count === 0) return null
  return (
    <section>
      <h3>
        {heading} <span class="muted">{count}</span>
      </h3>
      <ul>{children}</ul>
    </section>
  )
}
