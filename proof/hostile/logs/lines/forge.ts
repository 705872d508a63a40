import type { Random } from '../../../../packages/baton/test/support/random.ts'
import {
  type ForgedOp,
  forgeLine,
  noteOps,
  seal,
} from '../../../../packages/waymark/test/replica/hostile-log.ts'

/** An entity that a clone has written, with its lines in the log. */
export interface Target {
  readonly id: string
  readonly number: number
  readonly lines: readonly string[]
}

/** What the attacker sees and may aim at. */
export interface Targets {
  /** Entities that must stay as they are: nothing aimed at them is a change that a clone could have written. */
  readonly kept: readonly Target[]
  /** Entities that the attacker changes as any clone may. */
  readonly edited: readonly Target[]
  /** Entities whose purge is asked for. */
  readonly purged: readonly Target[]
}

export interface Forge {
  readonly random: Random
  readonly targets: Targets
  /** A new id with each call. */
  readonly newId: () => string
}

export type Production = (forge: Forge) => readonly string[]

const MARK = '"PLACE"'
const SEAL_LENGTH = ',"h":"'.length + 32 + '"}'.length

/** Puts a text into a sealed line where no object could say it. */
export function splice(line: string, text: string): string {
  return seal(`${bodyOf(line).replace(MARK, () => text)}`)
}

/** A line without its seal. */
export function bodyOf(line: string): string {
  return `${line.slice(0, -SEAL_LENGTH)}}`
}

export function note(forge: Forge, fields: object = {}, more: readonly ForgedOp[] = []): string {
  return forgeLine(forge.newId(), [...noteOps({ ...fields }), ...more], peerOf(forge))
}

export function peerOf({ random }: Forge): { readonly peer: string } {
  return { peer: String(1 + random.below(2 ** 30)) }
}

/** Any honest line, as it would be of another entity. */
export function parsedLine({ random, targets, newId }: Forge, isEdit: boolean): object {
  const target = random.pick(isEdit ? targets.edited : [...targets.kept, ...targets.edited])
  const line = JSON.parse(bodyOf(random.pick(target.lines))) as object
  return { ...line, e: isEdit ? target.id : newId() }
}

/** A line with one change, whose parts may be replaced. */
export function change(forge: Forge, parts: object, update: object = {}): string {
  const line = JSON.parse(bodyOf(note(forge))) as {
    e: string
    u: { changes: readonly object[] }
  }
  const [only] = line.u.changes
  return seal(
    JSON.stringify({ e: line.e, u: { ...line.u, changes: [{ ...only, ...parts }], ...update } }),
  )
}

export const op = (
  content: object,
  container = 'cid:root-text:content:Text',
  counter = 0,
): object => ({
  container,
  content,
  counter,
})

export const keptLine = ({ random, targets }: Forge): string =>
  random.pick(random.pick(targets.kept).lines)

/** Depths at which parsers fail, each in its own way. */
export const ENGINE_DEPTHS = [17, 40, 300, 5_000, 20_000] as const
