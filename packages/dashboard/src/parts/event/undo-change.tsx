import { useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { me } from '../../data/session.ts'
import { en } from '../../text/en.ts'
import { activityWords } from '../../text/view/activity.ts'
import { Command } from '../command.tsx'
import { Change } from './change.tsx'

interface Props {
  /** Number or id of the entity. */
  readonly of: string
  readonly version: number
}

/** Undoes one change, after a preview of what would be restored and what prevents the rest. */
export function UndoChange({ of, version }: Props) {
  const [preview, setPreview] = useState<Output<'history.revert'> | undefined>(undefined)
  const run = async (dry_run: boolean): Promise<void> => {
    try {
      const plan = await call('history.revert', { id: of, version, dry_run })
      setPreview(dry_run ? plan : undefined)
      if (!dry_run) say('ok', `${en.acts.undone} waymark revert ${plan.number} ${version}`)
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  // The first one added the entity; deleting it is another act.
  if (version === 1) return null
  if (preview === undefined)
    return (
      <button type="button" class="link" aria-keyshortcuts="Shift+z" onClick={() => void run(true)}>
        {activityWords.undoThis}
      </button>
    )
  const { number, kept, changes, outcome } = preview
  return (
    <div class="undo-preview" role="group" aria-label={activityWords.undoThis}>
      <p class="muted">
        {outcome === 'kept' ? activityWords.nothingToUndo : activityWords.comesBack}
      </p>
      {outcome !== 'kept' && <Change change={preview} />}
      {kept.length > 0 && (
        <p class="mark warn">{activityWords.kept(kept.map(toName).join(', '))}</p>
      )}
      <Command text={`waymark revert ${number} ${version}`} />
      <footer class="row">
        <button type="button" autoFocus onClick={() => setPreview(undefined)}>
          {en.acts.dismiss}
        </button>
        <button
          type="button"
          class="danger"
          disabled={outcome === 'kept' || me.value?.read_only === true}
          title={me.value?.read_only === true ? en.acts.readOnly : undefined}
          onClick={() => void run(false)}
        >
          {activityWords.applyChanges(changes.length)}
        </button>
      </footer>
    </div>
  )
}

function toName(field: string): string {
  return field.replace(/^properties\./, '').replaceAll('_', ' ')
}
