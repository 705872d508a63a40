import type { RawState } from '../document-state.ts'
import { mergeTexts } from './merge-texts.ts'
import {
  findConcurrent,
  homeOf,
  isText,
  type Statement,
  STATEMENTS,
  textName,
} from './statements.ts'

/** The versions of a field that was changed on both sides. */
export interface ChangedTwice {
  readonly field: string
  /** The changes cannot both stand: what stands now is the later one. */
  readonly isContradiction: boolean
  readonly keep: unknown
  readonly other: unknown
  /** All lines of both; absent for a field that is no text. */
  readonly both?: string
}

/** A text at several versions of a document. */
export interface TextVersions {
  /** At the newest version that all statements have seen. */
  readonly base: string
  /** As each statement left it. */
  readonly texts: readonly string[]
  /** As the engine merges exactly these statements. */
  readonly merged: string
}

/** Undefined if a statement is about a change that the document does not have. */
export type ReadVersions = (
  field: string,
  statements: readonly Statement[],
) => TextVersions | undefined

/** Fields with several concurrent changes. A pure function of the document, as everything that clones must agree on. */
export function findChangedTwice(state: RawState, readVersions: ReadVersions): ChangedTwice[] {
  return [...findConcurrent(state[STATEMENTS])].flatMap(([field, statements]) => {
    const found = isText(field)
      ? compareTexts(state[textName(field)], readVersions(field, statements))
      : compareValues(valueOf(state, field), statements)
    return found === undefined ? [] : [{ field, ...found }]
  })
}

/** The state in which of contradicting changes only the later ones count. */
export function withLater(state: RawState, changed: readonly ChangedTwice[]): RawState {
  const settled: Record<string, unknown> = { ...state }
  for (const { field, isContradiction, keep } of changed) {
    if (!isContradiction) continue
    if (isText(field)) settled[textName(field)] = keep
    else settled[homeOf(field)] = withValue(settled[homeOf(field)], field, keep)
  }
  return settled
}

/** Statements that a version of Waymark without them has overruled are ignored. */
function compareTexts(present: unknown, versions: TextVersions | undefined) {
  if (versions === undefined || (present ?? '') !== versions.merged) return undefined
  const { base, texts, merged: both } = versions
  if (texts.every((text) => text === texts[0])) return undefined
  const later = fold(base, texts)
  if (!later.isContradiction) return { isContradiction: false, keep: both, other: both, both }
  return { ...later, other: fold(base, texts.toReversed()).keep, both }
}

function fold(base: string, [first = '', ...others]: readonly string[]) {
  let [keep, isContradiction] = [first, false]
  for (const text of others) {
    const merged = mergeTexts(base, keep, text)
    keep = merged.text
    isContradiction ||= merged.isContradiction
  }
  return { keep, isContradiction }
}

function compareValues(present: unknown, statements: readonly Statement[]) {
  const values = statements.map(({ value = null }) => value)
  const texts = values.map((value) => JSON.stringify(value))
  if (!texts.includes(JSON.stringify(present ?? null))) return undefined
  const other = values.findLast((_, at) => texts[at] !== texts.at(-1))
  return other === undefined ? undefined : { isContradiction: true, keep: values.at(-1), other }
}

function valueOf(state: RawState, field: string): unknown {
  return asObject(state[homeOf(field)])[field]
}

function withValue(home: unknown, field: string, value: unknown): object {
  const { [field]: _, ...others } = asObject(home)
  return value === null ? others : { ...others, [field]: value }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
