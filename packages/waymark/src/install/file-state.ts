import { fingerprint } from './config-file.ts'
import { isSameServer, runsWaymark } from './ledger/entry.ts'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part, RecordedEdit } from './ledger/ledger.ts'
import { type DecodedText, decode, encode } from './text.ts'

/** One file and our changes to it. Installing and uninstalling map one state to the next. */
export interface FileState {
  readonly bytes: Buffer | undefined
  /** The file without our changes. */
  readonly pristine: Buffer | undefined
  /** Our changes. */
  readonly parts: readonly Part[]
  /** Whether another program has changed the file since. */
  readonly isChanged: boolean
}

/** The file after a step, and the result of the step. */
export interface Changed<State> {
  readonly fileState: FileState
  readonly state: State
}

export interface Recorded {
  readonly before: string | null
  readonly after: string | null
  readonly parts: readonly Part[]
}

/** The state of a file, from its bytes and its record in the ledger. */
export function fileStateOf(
  format: Format,
  bytes: Buffer | undefined,
  recorded?: Recorded & { readonly backup: () => Buffer | undefined },
): FileState {
  const now = fingerprint(bytes)
  // Equal to the original: the change was never made, or was undone by hand.
  if (recorded === undefined || now === recorded.before || bytes === undefined) {
    return { bytes, pristine: bytes, parts: [], isChanged: false }
  }
  const { parts } = recorded
  if (now === recorded.after) return { bytes, pristine: recorded.backup(), parts, isChanged: false }
  const text = decode(bytes)
  const edits = parts.flatMap((part) => part.edits)
  const stripped = strip(format, text.text, edits)
  const isNothing = recorded.before === null && isRest(format, stripped, edits)
  const pristine = isNothing ? undefined : encode({ ...text, text: stripped })
  return { bytes, pristine, parts, isChanged: true }
}

/** Whether nothing is left of a file that we made but defaults, which a newer host may have given another value. */
function isRest(format: Format, text: string, edits: readonly RecordedEdit[]): boolean {
  const defaults = edits.filter(({ kind }) => kind === 'default')
  return format.isBlank(defaults.reduce((rest, edit) => format.take(rest, edit), text))
}

/** Reverts edits, restoring previous values. */
export function strip(format: Format, text: string, edits: readonly RecordedEdit[]): string {
  const isDefault = ({ kind }: RecordedEdit) => kind === 'default'
  const revert = (rest: string, edit: RecordedEdit) => stripOne(format, rest, edit)
  const rest = edits.filter((edit) => !isDefault(edit)).reduceRight(revert, text)
  // Other entries may rely on the defaults by now; remove them only from an otherwise empty file.
  const bare = edits.filter(isDefault).reduceRight(revert, rest)
  return format.isBlank(bare) ? bare : rest
}

function stripOne(format: Format, text: string, edit: RecordedEdit): string {
  const found = format.find(text, edit)
  if (found === undefined || isTakenOver(edit, found)) return text
  if (edit.previous !== undefined) return format.put(text, { ...edit, value: edit.previous })
  return format.take(text, edit, edit.keep)
}

/** Whether our entry was replaced by one that starts another program. */
function isTakenOver({ kind, value }: RecordedEdit, found: Json): boolean {
  if (kind === 'section' || kind === 'item') return false
  return !isSameServer(found, value) && !runsWaymark(found)
}

export function putAll(format: Format, text: string, edits: readonly Edit[]): string {
  return edits.reduce((rest, edit) => format.put(rest, edit), text)
}

export function withText(original: DecodedText, text: string): Buffer {
  return encode({ ...original, text })
}
