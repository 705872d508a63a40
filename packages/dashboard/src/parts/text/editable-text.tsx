import { useState } from 'preact/hooks'
import { me } from '../../data/session.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { en } from '../../text/en.ts'
import { Editor, type Revision, type Save } from './editor.tsx'
import { Markdown } from './markdown.tsx'

interface Props {
  /** Names the draft that the browser keeps. */
  readonly draftKey: string
  readonly heading: string
  readonly present: Revision
  readonly author?: string | undefined
  readonly save: Save
  readonly command: string
}

/** A text that is read, and edited where it is read. */
export function EditableText({ draftKey, heading, present, author, save, command }: Props) {
  const [isEditing, setEditing] = useState(false)
  const isReadOnly = me.value?.read_only === true
  useKeys(
    isEditing || isReadOnly
      ? []
      : [{ keys: 'e', label: en.task.edit, run: () => setEditing(true) }],
  )
  if (isEditing)
    return (
      <Editor
        draftKey={draftKey}
        present={present}
        save={save}
        command={command}
        onEnd={() => setEditing(false)}
      />
    )
  return (
    <>
      <h3 class="row">
        <span class="grow">
          {heading} {author !== undefined && <span class="muted">{en.task.by(author)}</span>}
        </span>
        <button type="button" disabled={isReadOnly} onClick={() => setEditing(true)}>
          {en.task.edit} <kbd>e</kbd>
        </button>
      </h3>
      {present.text === '' ? (
        <p class="muted">{en.task.noText}</p>
      ) : (
        <Markdown text={present.text} />
      )}
    </>
  )
}
