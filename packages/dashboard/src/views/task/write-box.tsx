import { useState } from 'preact/hooks'
import { option, quoted } from '../../acts/act.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { me } from '../../data/session.ts'
import { Command } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'
import { inboxWords } from '../../text/view/inbox.ts'

interface Props {
  readonly to: string | undefined
  readonly task?: number
}

/** A message to the agent that holds the task, or to all. Nothing pretends to interrupt a running model. */
export function WriteBox({ to, task }: Props) {
  const [text, setText] = useState('')
  const [isUrgent, setUrgent] = useState(false)
  const severity = isUrgent ? 'blocker' : 'info'
  const send = async (): Promise<void> => {
    try {
      const { delivered_names } = await call('message.send', {
        body: text.trim(),
        severity,
        ...(to !== undefined && { to }),
        ...(task !== undefined && { task: String(task) }),
      })
      setText('')
      say('ok', en.task.sent(delivered_names.join(', ')))
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  const placeholder = to === undefined ? en.task.writeAll : en.task.writeTo(to)
  const rest = `${to === undefined ? '' : option('to', to)}${task === undefined ? '' : ` --task ${task}`}${isUrgent ? ' --severity blocker' : ''}`
  return (
    <form
      class="write-box"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void send()
      }}
    >
      <textarea
        rows={2}
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        disabled={me.value?.read_only === true}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && text.trim() !== '')
            void send()
        }}
      />
      {text.trim() !== '' && (
        <>
          <Command text={`waymark message send ${quoted(text.trim())}${rest}`} />
          <p class="row">
            <label class="grow">
              <input
                type="checkbox"
                checked={isUrgent}
                onChange={({ currentTarget }) => setUrgent(currentTarget.checked)}
              />{' '}
              {inboxWords.stopFirst}
            </label>
            <button type="submit" class="primary">
              {en.now.send}
            </button>
          </p>
        </>
      )}
    </form>
  )
}
