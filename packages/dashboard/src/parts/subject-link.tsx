import type { FeedEvent } from '../data/live/feed.ts'
import { taskOf } from '../data/task/tasks.ts'
import { toAddress } from '../shell/router.ts'
import { MessageWords } from './event/message-words.tsx'

/** What an event is about: a task, another entity by its number, or words. */
export function SubjectLink({ event }: { readonly event: FeedEvent }) {
  const { subject, title, type } = event
  if (subject !== undefined && type === 'message.sent') return <MessageWords id={Number(subject)} />
  if (subject === undefined || type.startsWith('message.') || type.startsWith('agent.'))
    return <span class="muted">{type.startsWith('agent.') ? '' : title}</span>
  const task = taskOf(subject)
  const number = task?.number ?? (/^\d+$/.test(subject) ? Number(subject) : undefined)
  if (number === undefined) return <span class="muted">{title}</span>
  return (
    <a class="title-link" href={toAddress(task === undefined ? 'k' : 't', number)}>
      <span class="number">#{number}</span> {task?.title ?? title}
    </a>
  )
}
