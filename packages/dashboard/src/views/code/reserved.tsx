import { call } from '../../data/call.ts'
import { useLoad } from '../../parts/use-load.ts'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { codeWords } from '../../text/view/code.ts'

/** Which agent has the file locked now; where no reason is written down, who changed it last. */
export function Reserved({ path }: { readonly path: string }) {
  const loaded = useLoad((signal) => call('code.why', { path }, { signal }), path, {
    when: (type) =>
      type === '*' ||
      type === 'task.claimed' ||
      type === 'task.released' ||
      type.startsWith('lease.'),
  })
  if (loaded.state !== 'ready') return null
  const { reserved_by, reasons, last_commits = [] } = loaded.value
  const [last] = reasons === undefined ? last_commits : []
  return (
    <>
      {last !== undefined && (
        <p class="muted">{codeWords.lastChanged(last.author, last.subject, last.date)}</p>
      )}
      {reserved_by?.map(({ agent_id, agent_name, task }) => (
        <p key={`${agent_id} ${task.number}`} class="mark info">
          ● {codeWords.lockedBy(agent_name ?? agent_id)}{' '}
          <TaskLink number={task.number} title={task.title} />
        </p>
      ))}
    </>
  )
}
