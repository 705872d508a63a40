import { useEffect, useState } from 'preact/hooks'
import { CallError } from '../data/call.ts'
import { en } from '../text/en.ts'
import { mergeTexts } from './merge-texts.ts'
import { TextDiff } from './text-diff.tsx'

interface Props {
  readonly draftKey: string
  readonly title: string
  readonly text: string
  readonly save: (title: string, text: string) => Promise<void>
  readonly onEnd: () => void
}

/**
 * Edits a title and a text. What is written is kept by the browser until it is saved. A change that arrives meanwhile is merged
 * line by line; lines that both changed are shown, and nothing of either is lost.
 */
export function Editor({ draftKey, title, text, save, onEnd }: Props) {
  const storage = `waymark.draft ${draftKey}`
  const [base] = useState({ title, text })
  const [draft, setDraft] = useState(() => readDraft(storage) ?? { title, text })
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(() => localStorage.setItem(storage, JSON.stringify(draft)), [draft])
  const isChangedMeanwhile = text !== base.text || title !== base.title
  const merged = isChangedMeanwhile ? mergeTexts(base.text, draft.text, text) : undefined
  const end = (): void => {
    localStorage.removeItem(storage)
    onEnd()
  }
  const submit = async (): Promise<void> => {
    try {
      await save(draft.title.trim(), merged?.text ?? draft.text)
      end()
    } catch (error) {
      setProblem(error instanceof CallError ? error.message : String(error))
    }
  }
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit()
        if (event.key === 'Escape') onEnd()
      }}
    >
      <input
        aria-label={en.task.editTitle}
        value={draft.title}
        onInput={({ currentTarget }) => setDraft({ ...draft, title: currentTarget.value })}
      />
      <textarea
        rows={12}
        aria-label={en.task.what}
        value={draft.text}
        autoFocus
        onInput={({ currentTarget }) => setDraft({ ...draft, text: currentTarget.value })}
      />
      {merged !== undefined && (
        <div class="notice" role="status">
          <p>{merged.isClean ? en.knowledge.merged : en.knowledge.collided}</p>
          <TextDiff before={text} after={merged.text} />
        </div>
      )}
      {problem !== undefined && (
        <p class="mark bad" role="alert">
          {problem}
        </p>
      )}
      <p class="row">
        <span class="grow muted">{en.task.keepDraft}</span>
        <button type="button" onClick={end}>
          {en.acts.dismiss}
        </button>
        <button type="submit" class="primary">
          {en.task.save}
        </button>
      </p>
    </form>
  )
}

function readDraft(storage: string): { readonly title: string; readonly text: string } | undefined {
  const kept = localStorage.getItem(storage)
  return kept === null ? undefined : (JSON.parse(kept) as { title: string; text: string })
}
