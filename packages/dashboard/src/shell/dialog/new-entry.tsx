import { useState } from 'preact/hooks'
import { option, quoted } from '../../acts/act.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { Command } from '../../parts/command.tsx'
import { en } from '../../text/en.ts'
import { Dialog } from './dialog.tsx'
import { created } from './created.ts'
import { go, toAddress } from '../router.ts'

/** A title is enough; the rest can be said on the page of what is made. */
export function NewEntry() {
  const kind = created.value
  return kind === undefined ? null : <NewEntryForm key={kind} {...KINDS[kind]} />
}

interface Kind {
  readonly heading: string
  readonly asks: string
  readonly command: string
  /** Answers the number of what was made. */
  readonly make: (title: string, content: string) => Promise<number>
  /** The first part of its address. */
  readonly first: string
}

const KINDS: Readonly<Record<'task' | 'decision', Kind>> = {
  task: {
    heading: en.shell.newTask,
    asks: en.newTask.title,
    command: 'waymark task add',
    first: 't',
    make: async (title, content) =>
      (await call('task.create', { title, ...toContent(content) })).task.number,
  },
  decision: {
    heading: en.newTask.newDecision,
    asks: en.newTask.decided,
    command: 'waymark add decision',
    first: 'k',
    make: async (title, content) =>
      (await call('entity.create', { type: 'decision', title, ...toContent(content) })).number,
  },
}

function toContent(content: string): { content?: string } {
  return content === '' ? {} : { content }
}

function NewEntryForm({ heading, asks, command, make, first }: Kind) {
  const [title, setTitle] = useState('')
  const [content, setContent] = useState('')
  const close = (): void => void (created.value = undefined)
  const toCommand = (text: string): string =>
    `${command} ${quoted(text)}${option('content', content.trim())}`
  const create = async (): Promise<void> => {
    try {
      const number = await make(title.trim(), content.trim())
      close()
      const open = { label: en.acts.open, run: () => go(toAddress(first, number)) }
      say('ok', `#${number}: ${toCommand(title.trim())}`, [open])
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  return (
    <Dialog label={heading} onClose={close}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault()
          if (title.trim() !== '') void create()
        }}
      >
        <h2>{heading}</h2>
        <input
          aria-label={asks}
          placeholder={asks}
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
        <Command text={toCommand(title.trim() || asks)} />
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
