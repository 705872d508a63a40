import { isDeepStrictEqual } from 'node:util'
import type { Edit, Format, Json } from './format/edit.ts'
import type { Part } from './ledger/ledger.ts'
import { type Changed, putAll, type Situation, strip, withText } from './situation.ts'
import { decode } from './text.ts'

/** `kept`: somebody else has put something of their own in our place. */
export type TakeState = 'restored' | 'removed' | 'kept' | 'absent'

/** Which parts to take out, and what to look for if the ledger has no record of them. */
export interface Unwanted {
  readonly matches: (part: Pick<Part, 'host' | 'part'>) => boolean
  readonly candidates: readonly Edit[]
  readonly isOurs: (entry: Json) => boolean
}

/** Takes parts out: by the ledger where it knows, else by what is recognisably ours. */
export function takePart(
  format: Format,
  situation: Situation,
  { matches, candidates, isOurs }: Unwanted,
): Changed<TakeState> {
  const staying = situation.parts.filter((part) => !matches(part))
  const leaving = situation.parts.filter(matches)
  const shared = staying.flatMap((part) => part.edits)
  if (leaving.length === 0) {
    const free = candidates.filter((edit) => !shared.some((other) => isSamePlace(other, edit)))
    return takeUnrecorded(format, situation, { candidates: free, isOurs })
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
function stateOfRest(format: Format, text: string, own: readonly Edit[]): TakeState {
  return own.some((edit) => edit.kind === 'entry' && format.find(text, edit) !== undefined)
    ? 'kept'
    : 'absent'
}

/** Nobody else has touched the file: it becomes what it was, byte for byte, plus what stays. */
function restore(
  format: Format,
  situation: Situation,
  staying: readonly Part[],
): Changed<TakeState> {
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

function takeUnrecorded(
  format: Format,
  situation: Situation,
  { candidates, isOurs }: Pick<Unwanted, 'candidates' | 'isOurs'>,
): Changed<TakeState> {
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
