import { messages } from '../../data/task/questions.ts'
import { en } from '../../text/en.ts'
import { TaskLink } from '../text/text-link.tsx'

/** To whom a message went, about which task, and how it begins. */
export function MessageWords({ id }: { readonly id: number }) {
  const message = messages.value.find((one) => one.id === id)
  if (message === undefined) return null
  const { to_name, to, task_number, body } = message
  return (
    <>
      <span class="muted">{en.now.to(to_name ?? to)} </span>
      {task_number !== undefined && (
        <>
          <span class="muted">{en.now.about}</span> <TaskLink number={task_number} />{' '}
        </>
      )}
      <span class="muted message-words">{body}</span>
    </>
  )
}
