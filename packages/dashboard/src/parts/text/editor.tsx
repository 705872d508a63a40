import { useEffect, useState } from 'preact/hooks'
import { CallError } from '../../data/call.ts'
import { en } from '../../text/en.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'
import { Command } from '../command.tsx'
import { Markdown } from './markdown.tsx'
import { mergeVersions, type Version } from './merge-texts.ts'
import { TextDiff } from './text-diff.tsx'

/** A version that the server has. */
export interface Revision extends Version {
  readonly revision: number
}

/** Saves a version that was made from a revision; fails when the server has a later one. */
export type Save = (version: Version, expectedRevision: number) => Promise<void>

interface Props {
  readonly draftKey: string
  /** The latest one that the page knows of. */
  readonly present: Revision
  readonly save: Save
  /** What does the same in a terminal. */
  readonly command: string
  readonly onEnd: () => void
}

/**
 * Edits a title and a text. What is written is kept by the browser until it is saved, with the version that it was made from. A
 * change that arrives meanwhile, or that the server tells of when it refuses to save, is merged line by line; lines that both
 * changed are put into the editor, and nothing of either is lost.
 */
export function Editor({ draftKey, present, save, command, onEnd }: Props) {
  const storage = `waymark.draft ${draftKey}`
  const [{ base, ...draft }, setDraft] = useState(() => readDraft(storage, present))
  const [told, setTold] = useState<Revision | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  useEffect(
    () => localStorage.setItem(storage, JSON.stringify({ base, ...draft })),
    [base, draft.title, draft.text],
  )
  const theirs = told !== undefined && told.revision > present.revision ? told : present
  const merged = mergeVersions(base, draft, theirs)
  const isCollided = merged?.isClean === false
  const end = (): void => {
    localStorage.removeItem(storage)
    onEnd()
  }
  const submit = async (): Promise<void> => {
    setProblem(undefined)
    if (isCollided) return setDraft({ base: theirs, title: merged.title, text: merged.text })
    const { title, text } = merged ?? draft
    try {
      await save({ title: title.trim(), text }, theirs.revision)
      end()
    } catch (error) {
      setTold(toRevision(error) ?? told)
      setProblem((error as Error).message)
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
        onInput={({ currentTarget }) => setDraft({ base, ...draft, title: currentTarget.value })}
      />
      <textarea
        rows={12}
        aria-label={en.task.what}
        value={draft.text}
        autoFocus
        onInput={({ currentTarget }) => setDraft({ base, ...draft, text: currentTarget.value })}
      />
      <details class="preview">
        <summary>{en.task.preview}</summary>
        <Markdown text={draft.text} />
      </details>
      {merged !== undefined && (
        <div class="notice" role="status">
          <p>{isCollided ? knowledgeWords.collided : knowledgeWords.merged}</p>
          {theirs.title !== base.title && <p>{knowledgeWords.retitled(theirs.title)}</p>}
          <TextDiff before={theirs.text} after={merged.text} />
        </div>
      )}
      {problem !== undefined && (
        <p class="mark bad" role="alert">
          {problem}
        </p>
      )}
      <p class="row">
        <span class="grow">
          <span class="muted">{en.task.keepDraft}</span>
          <Command text={command} />
        </span>
        <button type="button" onClick={end}>
          {en.acts.dismiss}
        </button>
        <button type="submit" class="primary">
          {isCollided ? knowledgeWords.editBoth : en.task.save}
        </button>
      </p>
    </form>
  )
}

interface Draft extends Version {
  readonly base: Version
}

function readDraft(storage: string, { title, text }: Version): Draft {
  const kept = localStorage.getItem(storage)
  const fresh = { base: { title, text }, title, text }
  return kept === null ? fresh : { ...fresh, ...(JSON.parse(kept) as Partial<Draft>) }
}

/** The version that stands in the way of a save. */
function toRevision(error: unknown): Revision | undefined {
  if (!(error instanceof CallError) || error.details['reason'] !== 'changed_meanwhile')
    return undefined
  const { revision, present } = error.details as {
    readonly revision: number
    readonly present: { readonly title: string; readonly content: string | null }
  }
  return { revision, title: present.title, text: present.content ?? '' }
}
