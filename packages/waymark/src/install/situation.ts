import { fingerprint } from './config-file.ts'
import { isSameServer, runsWaymark } from './ledger/entry.ts'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part, RecordedEdit } from './ledger/ledger.ts'
import { type DecodedText, decode, encode } from './text.ts'

/** One file and what we have done to it. Installing and uninstalling turn one situation into the next. */
export interface Situation {
  readonly bytes: Buffer | undefined
  /** The file as it would be without us. */
  readonly pristine: Buffer | undefined
  /** What of ours is in it. */
  readonly parts: readonly Part[]
  /** Whether somebody else has changed the file since we did. */
  readonly isChanged: boolean
}

/** The situation after a step, and what the step has come to. */
export interface Changed<State> {
  readonly situation: Situation
  readonly state: State
}

export interface Recorded {
  readonly before: string | null
  readonly after: string | null
  readonly parts: readonly Part[]
}

/** Works out what a file is now, given what the ledger says about it. */
export function situationOf(
  format: Format,
  bytes: Buffer | undefined,
  recorded?: Recorded & { readonly backup: () => Buffer | undefined },
): Situation {
  const now = fingerprint(bytes)
  // As it was before us: either the change was never made, or somebody has undone it.
  if (recorded === undefined || now === recorded.before || bytes === undefined) {
    return { bytes, pristine: bytes, parts: [], isChanged: false }
  }
  const { parts } = recorded
  if (now === recorded.after) return { bytes, pristine: recorded.backup(), parts, isChanged: false }
  const text = decode(bytes)
  const stripped = strip(
    format,
    text.text,
    parts.flatMap(({ edits }) => edits),
  )
  const isNothing = recorded.before === null && format.isBlank(stripped)
  const pristine = isNothing ? undefined : encode({ ...text, text: stripped })
  return { bytes, pristine, parts, isChanged: true }
}

/** The text without some edits of ours, each replaced by what was in its place before. */
export function strip(format: Format, text: string, edits: readonly RecordedEdit[]): string {
  return edits.toReversed().reduce((rest, edit) => stripOne(format, rest, edit), text)
}

function stripOne(format: Format, text: string, edit: RecordedEdit): string {
  const found = format.find(text, edit)
  if (found === undefined || isTakenOver(edit, found)) return text
  if (edit.previous !== undefined) return format.put(text, { ...edit, value: edit.previous })
  const rest = format.take(text, edit, edit.keep)
  // Others may rely on a default by now; it goes only when there is nothing else.
  return edit.kind === 'default' && !format.isBlank(rest) ? text : rest
}

/** Somebody else has put something of their own in our place: it starts another program, or is nothing of the kind. */
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
