import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../core/error.ts'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part, RecordedEdit } from './ledger/ledger.ts'
import { type Changed, putAll, type FileState, strip, withText } from './file-state.ts'
import { decode } from './text.ts'

/** A part to add to a file. */
export interface Addition {
  readonly host: string
  readonly part: Part['part']
  readonly edits: readonly Edit[]
}

export type ApplyState = 'added' | 'updated' | 'unchanged'

export interface ApplyRules {
  /** Whether an entry without a record is a waymark entry: added by a colleague, or before the ledger was lost. */
  readonly isOurs: (entry: Json) => boolean
  /** Replace what others have put under our name. */
  readonly force: boolean
}

/** Adds or updates a part. */
export function applyPart(
  format: Format,
  fileState: FileState,
  addition: Addition,
  rules: ApplyRules,
): Changed<ApplyState> {
  const pristine = decode(fileState.pristine)
  const mine = fileState.parts.find(
    ({ host, part }) => host === addition.host && part === addition.part,
  )
  const edits = addition.edits
    .map((edit) => recorded(format, pristine.text, edit))
    .filter((edit) => !isThereAlready(edit))
  for (const edit of edits) assertFree(edit, mine, rules)
  if (edits.length === 0 && mine === undefined) return { fileState, state: 'unchanged' }

  const others = fileState.parts.filter((part) => part !== mine)
  const parts = [...others, { host: addition.host, part: addition.part, edits }]
  const current = decode(fileState.bytes)
  const text = fileState.isChanged
    ? putAll(format, strip(format, current.text, outdated(mine, edits)), edits)
    : putAll(
        format,
        pristine.text,
        parts.flatMap((part) => part.edits),
      )
  const isSameText = fileState.bytes !== undefined && text === current.text
  return {
    fileState: {
      ...fileState,
      parts,
      bytes: isSameText
        ? fileState.bytes
        : withText(fileState.isChanged ? current : pristine, text),
    },
    state: isSameText ? 'unchanged' : mine === undefined ? 'added' : 'updated',
  }
}

/** An edit with the facts needed to undo it. */
function recorded(format: Format, pristine: string, edit: Edit): RecordedEdit {
  const previous = format.find(pristine, edit)
  const keep = format.depth(pristine, edit.path)
  const path = [...edit.path]
  return { ...edit, path, keep, ...(previous === undefined ? {} : { previous }) }
}

/** The original file has this value already, so there is nothing to add or to remove later. */
function isThereAlready({ kind, value, previous }: RecordedEdit): boolean {
  return previous !== undefined && (kind === 'default' || isDeepStrictEqual(previous, value))
}

function assertFree(
  edit: RecordedEdit,
  mine: Part | undefined,
  { isOurs, force }: ApplyRules,
): void {
  const { kind, path, previous } = edit
  if (kind !== 'entry' || previous === undefined || force || isOurs(previous)) return
  const isAgreed = mine?.edits.some(
    (known) => isDeepStrictEqual(known.path, path) && isDeepStrictEqual(known.previous, previous),
  )
  if (isAgreed === true) return
  throw new Failure(
    'conflict',
    `${path.length === 0 ? 'is not ours' : `has something else under "${path.join('.')}"`}; --force replaces it, and --uninstall brings it back`,
    { details: { path } },
  )
}

function outdated(mine: Part | undefined, edits: readonly RecordedEdit[]): readonly RecordedEdit[] {
  return (mine?.edits ?? []).filter(
    (known) => !edits.some((edit) => isDeepStrictEqual(edit, known)),
  )
}
