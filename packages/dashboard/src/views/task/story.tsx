import { call } from '../../data/call.ts'
import type { Message } from '../../data/task/questions.ts'
import { Change, type ChangeOf } from '../../parts/event/change.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { MessageText } from '../../parts/text/message-text.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { Who } from '../../parts/agent/who.tsx'
import { en } from '../../text/en.ts'

interface Moment {
  readonly key: string
  readonly at: number
  readonly by: string | undefined
  readonly change?: ChangeOf
  readonly message?: Message
}

/** Changes and messages of one task in one line of time, newest first. */
export function Story({ number, id }: { readonly number: number; readonly id: string }) {
  const loaded = useLoad((signal) => loadStory(String(number), signal), id, {
    when: (type, subject) =>
      type === '*' || type.startsWith('message.') || subject === id || subject === String(number),
  })
  return (
    <section>
      <h3>{en.task.story}</h3>
      <LoadedView of={loaded}>
        {(moments) => (
          <ol class="story">
            {moments.map(({ key, at, by, change, message }) => (
              <li key={key}>
                <div class="row">
                  {by !== undefined && <Who name={by} />}
                  <Ago at={at} />
                </div>
                {message !== undefined && <MessageText message={message} />}
                {change !== undefined && <Change change={change} />}
              </li>
            ))}
          </ol>
        )}
      </LoadedView>
    </section>
  )
}

async function loadStory(id: string, signal: AbortSignal): Promise<readonly Moment[]> {
  const [{ changes }, { messages }] = await Promise.all([
    call('entity.history', { id, limit: 50 }, { signal }),
    call('message.thread', { task: id, limit: 100 }, { signal }),
  ])
  const ofChanges = changes.map((change): Moment => ({
    key: `change ${change.version}`,
    at: Date.parse(change.at),
    by: change.by,
    change,
  }))
  const ofMessages = messages.map((message): Moment => ({
    key: `message ${message.id}`,
    at: Date.parse(message.at),
    by: message.from_name ?? message.from,
    message,
  }))
  return [...ofChanges, ...ofMessages].toSorted((one, other) => other.at - one.at)
}
