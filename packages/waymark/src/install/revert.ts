import { isDeepStrictEqual } from 'node:util'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part } from './ledger/ledger.ts'
import { type Changed, putAll, type FileState, strip, withText } from './file-state.ts'
import { decode } from './text.ts'

/** `kept`: our entry was replaced by another program's, which stays. */
export type RevertState = 'restored' | 'removed' | 'kept' | 'absent'

/** Which parts to remove, and which edits to search for if the ledger has no record. */
export interface Removal {
  readonly matches: (part: Pick<Part, 'host' | 'part'>) => boolean
  readonly candidates: readonly Edit[]
  readonly isOurs: (entry: Json) => boolean
}

/** Removes parts: by the ledger where it has a record, else by recognising our entries. */
export function revertPart(
  format: Format,
  fileState: FileState,
  { matches, candidates, isOurs }: Removal,
): Changed<RevertState> {
  const staying = fileState.parts.filter((part) => !matches(part))
  const leaving = fileState.parts.filter(matches)
  const shared = staying.flatMap((part) => part.edits)
  if (leaving.length === 0) {
    const free = candidates.filter((edit) => !shared.some((other) => isSamePlace(other, edit)))
    return revertUnrecorded(format, fileState, { candidates: free, isOurs })
  }
  if (!fileState.isChanged) return restore(format, fileState, staying)

  const current = decode(fileState.bytes)
  const own = leaving
    .flatMap((part) => part.edits)
    .filter((edit) => !shared.some((other) => isSamePlace(other, edit)))
  const text = strip(format, current.text, own)
  const isNothing = staying.length === 0 && fileState.pristine === undefined
  const bytes = isNothing ? undefined : withText(current, text)
  const state = text === current.text ? stateOfRest(format, text, own) : 'removed'
  return { fileState: { ...fileState, parts: staying, bytes }, state }
}

/** Nothing was removed: our entry is gone, or was replaced by another program's. */
function stateOfRest(format: Format, text: string, own: readonly Edit[]): RevertState {
  return own.some((edit) => edit.kind === 'entry' && format.find(text, edit) !== undefined)
    ? 'kept'
    : 'absent'
}

/** The file is unchanged since we wrote it: restore the original bytes, plus the parts that stay. */
function restore(
  format: Format,
  fileState: FileState,
  staying: readonly Part[],
): Changed<RevertState> {
  const pristine = decode(fileState.pristine)
  const edits = staying.flatMap((part) => part.edits)
  const bytes =
    edits.length === 0
      ? fileState.pristine
      : withText(pristine, putAll(format, pristine.text, edits))
  return {
    fileState: { ...fileState, parts: staying, bytes },
    state: fileState.pristine !== undefined && edits.length === 0 ? 'restored' : 'removed',
  }
}

function revertUnrecorded(
  format: Format,
  fileState: FileState,
  { candidates, isOurs }: Pick<Removal, 'candidates' | 'isOurs'>,
): Changed<RevertState> {
  const current = decode(fileState.bytes)
  const ours = candidates.filter((edit) => {
    const found = format.find(current.text, edit)
    return (
      found !== undefined && (edit.kind !== 'entry' || isOurs(found)) && edit.kind !== 'default'
    )
  })
  if (ours.length === 0) return { fileState, state: 'absent' }
  const without = (bytes: Buffer | undefined) => {
    const decoded = decode(bytes)
    return withText(
      decoded,
      ours.reduce((rest, edit) => format.take(rest, edit), decoded.text),
    )
  }
  return {
    fileState: {
      ...fileState,
      bytes: without(fileState.bytes),
      pristine: without(fileState.pristine),
    },
    state: 'removed',
  }
}

function isSamePlace(one: Edit, other: Edit): boolean {
  return (
    one.kind === other.kind &&
    isDeepStrictEqual(one.path, other.path) &&
    (one.kind !== 'item' || isDeepStrictEqual(one.value, other.value))
  )
}
