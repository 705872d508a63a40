import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../error.ts'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part, RecordedEdit } from './ledger.ts'
import { putAll, type Situation, strip, withText } from './situation.ts'
import { decode } from './text.ts'

/** Something of ours that belongs into a file. */
export interface Wanted {
  readonly host: string
  readonly part: Part['part']
  readonly edits: readonly Edit[]
}

export type InstallState = 'added' | 'updated' | 'unchanged'
export type UninstallState = 'restored' | 'removed' | 'kept' | 'absent'

export interface Changed<State> {
  readonly situation: Situation
  readonly state: State
}

export interface InstallRules {
  /** Whether an entry that the ledger knows nothing of was written by us: by a colleague, or before the ledger was lost. */
  readonly isOurs: (entry: Json) => boolean
  /** Replace what others have put under our name. */
  readonly force: boolean
}

/** Adds a part, or brings it up to date. */
export function install(
  format: Format,
  situation: Situation,
  wanted: Wanted,
  rules: InstallRules,
): Changed<InstallState> {
  const pristine = decode(situation.pristine)
  const mine = situation.parts.find((part) => isSame(part, wanted))
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

function assertFree(
  edit: RecordedEdit,
  mine: Part | undefined,
  { isOurs, force }: InstallRules,
): void {
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

/** Which parts to take out, and what to look for if the ledger has no record of them. */
export interface Unwanted {
  readonly matches: (part: Pick<Part, 'host' | 'part'>) => boolean
  readonly candidates: readonly Edit[]
  readonly isOurs: (entry: Json) => boolean
}

export function uninstall(
  format: Format,
  situation: Situation,
  { matches, candidates, isOurs }: Unwanted,
): Changed<UninstallState> {
  const staying = situation.parts.filter((part) => !matches(part))
  const leaving = situation.parts.filter(matches)
  const shared = staying.flatMap((part) => part.edits)
  if (leaving.length === 0) {
    const free = candidates.filter((edit) => !shared.some((other) => isSamePlace(other, edit)))
    return uninstallUnrecorded(format, situation, { candidates: free, isOurs })
  }
  if (!situation.isChanged) return restore(format, situation, staying)

  const current = decode(situation.bytes)
  const own = leaving
    .flatMap((part) => part.edits)
    .filter((edit) => !shared.some((other) => isSamePlace(other, edit)))
  const text = strip(format, current.text, own)
  const isNothing = staying.length === 0 && situation.pristine === undefined
  const bytes = isNothing ? undefined : withText(current, text)
  const state = text === current.text ? stateOfRest(format, text, own) : 'removed'
  return { situation: { ...situation, parts: staying, bytes }, state }
}

/** Nothing was taken out: either it is gone already, or somebody else's now. */
function stateOfRest(format: Format, text: string, own: readonly Edit[]): UninstallState {
  return own.some((edit) => edit.kind === 'entry' && format.find(text, edit) !== undefined)
    ? 'kept'
    : 'absent'
}

/** Nobody else has touched the file: it becomes what it was, byte for byte, plus what stays. */
function restore(
  format: Format,
  situation: Situation,
  staying: readonly Part[],
): Changed<UninstallState> {
  const pristine = decode(situation.pristine)
  const edits = staying.flatMap((part) => part.edits)
  const bytes =
    edits.length === 0
      ? situation.pristine
      : withText(pristine, putAll(format, pristine.text, edits))
  return {
    situation: { ...situation, parts: staying, bytes },
    state: situation.pristine !== undefined && edits.length === 0 ? 'restored' : 'removed',
  }
}

function uninstallUnrecorded(
  format: Format,
  situation: Situation,
  { candidates, isOurs }: Pick<Unwanted, 'candidates' | 'isOurs'>,
): Changed<UninstallState> {
  const current = decode(situation.bytes)
  const ours = candidates.filter((edit) => {
    const found = format.find(current.text, edit)
    return (
      found !== undefined && (edit.kind !== 'entry' || isOurs(found)) && edit.kind !== 'default'
    )
  })
  if (ours.length === 0) return { situation, state: 'absent' }
  const without = (bytes: Buffer | undefined) => {
    const decoded = decode(bytes)
    return withText(
      decoded,
      ours.reduce((rest, edit) => format.take(rest, edit), decoded.text),
    )
  }
  return {
    situation: {
      ...situation,
      bytes: without(situation.bytes),
      pristine: without(situation.pristine),
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

function isSame(part: Pick<Part, 'host' | 'part'>, wanted: Pick<Wanted, 'host' | 'part'>): boolean {
  return part.host === wanted.host && part.part === wanted.part
}
