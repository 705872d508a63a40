import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../core/error.ts'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part, RecordedEdit } from './ledger/ledger.ts'
import { type Changed, putAll, type Situation, strip, withText } from './situation.ts'
import { decode } from './text.ts'

/** Something of ours that belongs into a file. */
export interface Wanted {
  readonly host: string
  readonly part: Part['part']
  readonly edits: readonly Edit[]
}

export type AddState = 'added' | 'updated' | 'unchanged'

export interface AddRules {
  /** Whether an entry that the ledger knows nothing of was written by us: by a colleague, or before the ledger was lost. */
  readonly isOurs: (entry: Json) => boolean
  /** Replace what others have put under our name. */
  readonly force: boolean
}

/** Adds a part, or brings it up to date. */
export function addPart(
  format: Format,
  situation: Situation,
  wanted: Wanted,
  rules: AddRules,
): Changed<AddState> {
  const pristine = decode(situation.pristine)
  const mine = situation.parts.find(
    ({ host, part }) => host === wanted.host && part === wanted.part,
  )
  const edits = wanted.edits
    .map((edit) => recorded(format, pristine.text, edit))
    .filter((edit) => !isThereAlready(edit))
  for (const edit of edits) assertFree(edit, mine, rules)
  if (edits.length === 0 && mine === undefined) return { situation, state: 'unchanged' }

  const others = situation.parts.filter((part) => part !== mine)
  const parts = [...others, { host: wanted.host, part: wanted.part, edits }]
  const current = decode(situation.bytes)
  const text = situation.isChanged
    ? putAll(format, strip(format, current.text, outdated(mine, edits)), edits)
    : putAll(
        format,
        pristine.text,
        parts.flatMap((part) => part.edits),
      )
  const isSameText = situation.bytes !== undefined && text === current.text
  return {
    situation: {
      ...situation,
      parts,
      bytes: isSameText
        ? situation.bytes
        : withText(situation.isChanged ? current : pristine, text),
    },
    state: isSameText ? 'unchanged' : mine === undefined ? 'added' : 'updated',
  }
}

/** An edit with what has to be known to undo it. */
function recorded(format: Format, pristine: string, edit: Edit): RecordedEdit {
  const previous = format.find(pristine, edit)
  const keep = format.depth(pristine, edit.path)
  const path = [...edit.path]
  return { ...edit, path, keep, ...(previous === undefined ? {} : { previous }) }
}

/** The file says so without us; then there is nothing to add, and later nothing of ours to take out. */
function isThereAlready({ kind, value, previous }: RecordedEdit): boolean {
  return previous !== undefined && (kind === 'default' || isDeepStrictEqual(previous, value))
}

function assertFree(edit: RecordedEdit, mine: Part | undefined, { isOurs, force }: AddRules): void {
  const { kind, path, previous } = edit
  if (kind !== 'entry' || previous === undefined || force || isOurs(previous)) return
  const isAgreed = mine?.edits.some(
    (known) => isDeepStrictEqual(known.path, path) && isDeepStrictEqual(known.previous, previous),
  )
  if (isAgreed === true) return
  throw new Failure(
    'conflict',
    `has something else under "${path.join('.')}"; --force replaces it, and --uninstall brings it back`,
    { details: { path } },
  )
}

function outdated(mine: Part | undefined, edits: readonly RecordedEdit[]): readonly RecordedEdit[] {
  return (mine?.edits ?? []).filter(
    (known) => !edits.some((edit) => isDeepStrictEqual(edit, known)),
  )
}
