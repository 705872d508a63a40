import { useState } from 'preact/hooks'
import { quoted } from '../../acts/act.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { Command } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'
import { Dialog } from './dialog.tsx'
import { isCreating } from './is-creating.ts'
import { go, toAddress } from '../router.ts'

/** A title is enough; the rest can be said on the page of the task. */
export function NewTask() {
  return isCreating.value ? <NewTaskForm /> : null
}

function NewTaskForm() {
  const [title, setTitle] = useState('')
  const [content, setContent] = useState('')
  const close = (): void => void (isCreating.value = false)
  const create = async (): Promise<void> => {
    const text = content.trim()
    try {
      const { task } = await call('task.create', {
        title: title.trim(),
        ...(text !== '' && { content: text }),
      })
      close()
      say('ok', en.newTask.created(task.number), [
        { label: en.acts.open, run: () => go(toAddress('t', task.number)) },
      ])
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  return (
    <Dialog label={en.shell.newTask} onClose={close}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault()
          if (title.trim() !== '') void create()
        }}
      >
        <h2>{en.shell.newTask}</h2>
        <input
          aria-label={en.newTask.title}
          placeholder={en.newTask.title}
          value={title}
          autoFocus
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <textarea
          rows={4}
          aria-label={en.newTask.content}
          placeholder={en.newTask.content}
          value={content}
          onInput={({ currentTarget }) => setContent(currentTarget.value)}
        />
        <Command text={`waymark task add ${quoted(title || en.newTask.title)}`} />
        <footer>
          <button type="button" onClick={close}>
            {en.acts.dismiss}
          </button>
          <button type="submit" class="primary" disabled={title.trim() === ''}>
            {en.newTask.create}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
