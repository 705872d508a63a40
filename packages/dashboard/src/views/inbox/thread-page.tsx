import { MessageText } from '../../parts/text/message-text.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { Ago } from '../../parts/time.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { inboxWords } from '../../text/view/inbox.ts'
import { WriteBox } from '../task/write-box.tsx'
import { titleOf } from './thread-list.tsx'
import type { Thread } from './threads.ts'

/** One conversation, oldest message first, and a place to join it. */
export function ThreadPage({ thread }: { readonly thread: Thread }) {
  const latest = thread.messages.findLast(({ from_owner }) => from_owner !== true)
  return (
    <div class="thread-page">
      <h3>
        {thread.task === undefined ? (
          titleOf(thread)
        ) : (
          <TaskLink number={thread.task} title={titleOf(thread).replace(/^#\d+ /, '')} />
        )}
      </h3>
      <p class="muted">
        {inboxWords.messages(thread.messages.length)} · {thread.names.join(', ')}
      </p>
      <ol class="story">
        {thread.messages.map((message) => (
          <li key={message.id}>
            <div class="row">
              <Who
                name={message.from_owner ? inboxWords.you : (message.from_name ?? message.from)}
              />
              <Ago at={Date.parse(message.at)} />
            </div>
            <MessageText message={message} />
          </li>
        ))}
      </ol>
      <WriteBox
        to={thread.key === 'all' ? undefined : (latest?.from_name ?? latest?.from)}
        {...(thread.task !== undefined && { task: thread.task })}
      />
    </div>
  )
}
