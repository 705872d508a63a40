import { taskAt } from '../../data/task/tasks.ts'
import { Ago } from '../../parts/time.tsx'
import { setQuery } from '../../shell/router.ts'
import { inboxWords } from '../../text/view/inbox.ts'
import type { Thread } from './threads.ts'

interface Props {
  readonly threads: readonly Thread[]
  readonly chosen: string | undefined
}

export function ThreadList({ threads, chosen }: Props) {
  return (
    <ul class="thread-list">
      {threads.map((thread) => {
        const latest = thread.messages.at(-1)
        return (
          <li key={thread.key}>
            <button
              type="button"
              class="plain"
              aria-pressed={thread.key === chosen}
              onClick={() => setQuery({ thread: thread.key })}
            >
              <span class="row">
                <strong class="grow clip">{titleOf(thread)}</strong>
                {latest !== undefined && <Ago at={Date.parse(latest.at)} />}
              </span>
              <span class="clip muted">{latest?.body}</span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}

export function titleOf({ task, names, key }: Thread): string {
  if (task !== undefined) return `#${task} ${taskAt(task)?.title ?? ''}`
  return key === 'all' ? inboxWords.toAll : names.join(', ')
}
