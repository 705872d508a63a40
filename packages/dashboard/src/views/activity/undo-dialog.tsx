import { useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { quoted } from '../../acts/act.ts'
import { agents } from '../../data/agents.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { nameOf } from '../../parts/agent/agent-order.ts'
import { Command } from '../../parts/command.tsx'
import { Dialog } from '../../shell/dialog/dialog.tsx'
import { en } from '../../text/en.ts'
import { activityWords } from '../../text/view/activity.ts'

type Undo = Output<'history.undo'>

/** Takes back everything that an author did since a time. The list of outcomes comes before the act. */
export function UndoDialog({ onClose }: { readonly onClose: () => void }) {
  const [author, setAuthor] = useState('')
  const [since, setSince] = useState(() => toLocal(Date.now() - 3_600_000))
  const [preview, setPreview] = useState<Undo | undefined>(undefined)
  const [problem, setProblem] = useState('')
  const isReady = author.trim() !== '' && since !== ''
  const toCommand = (): string =>
    `waymark undo ${quoted(author || 'author')} ${quoted(since.replace('T', ' '))}`
  const run = async (dry_run: boolean): Promise<void> => {
    try {
      const input = { author: author.trim(), since: new Date(since).toISOString(), dry_run }
      const undone = await call('history.undo', input)
      setProblem('')
      if (dry_run) return setPreview(undone)
      say('ok', `${en.acts.undone} ${toCommand()}`)
      onClose()
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  const changed = preview?.entities.filter(({ outcome }) => outcome !== 'kept').length ?? 0
  return (
    <Dialog label={activityWords.undoTitle} onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault()
          void run(preview === undefined)
        }}
      >
        <h2>{activityWords.undoTitle}</h2>
        <label>
          {activityWords.author}
          <input
            list="authors"
            value={author}
            autoFocus
            onInput={({ currentTarget }) => {
              setAuthor(currentTarget.value)
              setPreview(undefined)
            }}
          />
        </label>
        <datalist id="authors">
          {agents.value.map((agent) => (
            <option key={agent.id} value={nameOf(agent)} />
          ))}
        </datalist>
        <label>
          {activityWords.since}
          <input
            type="datetime-local"
            value={since}
            onInput={({ currentTarget }) => {
              setSince(currentTarget.value)
              setPreview(undefined)
            }}
          />
        </label>
        {preview !== undefined && <Outcomes preview={preview} />}
        {problem !== '' && (
          <p class="mark bad" role="alert">
            {problem}
          </p>
        )}
        <Command text={`${toCommand()}${preview === undefined ? ' --dry-run' : ''}`} />
        <footer>
          <button type="button" onClick={onClose}>
            {en.acts.dismiss}
          </button>
          <button
            type="submit"
            class={preview === undefined ? 'primary' : 'danger'}
            disabled={!isReady || (preview !== undefined && changed === 0)}
          >
            {preview === undefined ? activityWords.preview : activityWords.apply(changed)}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

function Outcomes({ preview }: { readonly preview: Undo }) {
  if (preview.entities.length === 0) return <p class="muted">{activityWords.nothingToUndo}</p>
  return (
    <ul class="rows panel">
      {preview.entities.map(({ number, title, outcome, fields, kept }) => (
        <li key={number}>
          <span class="number">#{number}</span> {title}{' '}
          <span class="chip">{activityWords.outcome[outcome]}</span>
          {fields.length > 0 && <span class="muted"> {fields.join(', ')}</span>}
          {kept.length > 0 && <p class="mark warn">{activityWords.kept(kept.join(', '))}</p>}
        </li>
      ))}
    </ul>
  )
}

function toLocal(at: number): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
