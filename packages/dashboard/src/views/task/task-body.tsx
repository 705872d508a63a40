import { EditableText } from '../../parts/text/editable-text.tsx'
import { call } from '../../data/call.ts'
import { en } from '../../text/en.ts'
import type { FullTask } from './task-head.tsx'
import { Story } from './story.tsx'
import { WhyNot } from './why-not.tsx'
import { WriteBox } from './write-box.tsx'

export function TaskBody({ task }: { readonly task: FullTask }) {
  const { number, content = '', acceptance_criteria: criteria, prd, close_reason } = task
  return (
    <div class="task-main">
      <section>
        <EditableText
          draftKey={`task ${number}`}
          heading={en.task.what}
          present={{ title: task.title, text: content, revision: task.revision }}
          author={task.created_by}
          command={`waymark edit ${number} --edit`}
          save={async ({ title, text }, expectedRevision) => {
            await call('task.update', {
              id: String(number),
              title,
              content: text === '' ? null : text,
              expected_revision: expectedRevision,
            })
          }}
        />
      </section>
      {criteria.length > 0 && (
        <section>
          <h3>{en.task.criteria}</h3>
          <ul class="criteria">
            {criteria.map((criterion) => (
              <li key={criterion}>{criterion}</li>
            ))}
          </ul>
        </section>
      )}
      {prd !== undefined && (
        <section>
          <h3>{en.task.spec}</h3>
          <p class="mono">{prd.source}</p>
          {prd.excerpt !== undefined && <blockquote>{prd.excerpt}</blockquote>}
        </section>
      )}
      {close_reason !== undefined && (
        <section>
          <h3>{en.task.closedBecause}</h3>
          <p>{close_reason}</p>
        </section>
      )}
      <WhyNot number={number} isOpen={task.status !== 'done' && task.status !== 'cancelled'} />
      <Story number={number} id={task.id} />
      <WriteBox task={number} to={task.lease?.agent_name ?? task.lease?.agent_id} />
    </div>
  )
}
