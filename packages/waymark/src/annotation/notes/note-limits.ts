import type { RecordDocument } from '../record.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/**
 * Anyone with push access can write notes, so they have limits, checked before parsing: bytes of a note; depth, count and
 * length of its records. The limits exceed what `waymark code annotate` writes; a larger note stays in Git unread.
 */
export const LARGEST_NOTE = 4 * 1024 * 1024
export const MOST_DOCUMENTS = 5_000

/** A version of a note that exceeds a limit: it stays in Git, but is neither read nor merged. */
export interface SetAside {
  readonly ref: string
  readonly commit: CommitId
  /** Its blob. */
  readonly hash: string
  readonly problem: string
}

const DEEPEST = 16
const LONGEST_TEXT = 100_000
const LONGEST_NAME = 4_096
const MOST_ITEMS = 2_000

/** Fields that are shown in one line, beside others. */
const NAMES: ReadonlySet<string> = new Set([
  'id',
  'commit',
  'timestamp',
  'author',
  'task',
  'file',
  'anchor',
  'name',
  'type',
  'unit_type',
  'field',
  'tags',
  'supersedes',
  'derived_from',
])

/** Whether a text is nested too deeply to be parsed. Brackets in strings do not count. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === BACKSLASH) at += 1
      else if (code === QUOTE) quoted = false
    } else if (code === QUOTE) quoted = true
    else if (code === BRACE || code === BRACKET) depth += 1
    else if (code === BRACE + 2 || code === BRACKET + 2) depth -= 1
    if (depth > DEEPEST) return true
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Opening; the closing ones are two further. */
const BRACE = 0x7b
const BRACKET = 0x5b

/** Which bound a record exceeds, if any. It is known not to be too deep. */
export function whyOutOfBounds(document: RecordDocument): string | undefined {
  return exceeded(document, '')
}

function exceeded(value: unknown, name: string): string | undefined {
  if (typeof value === 'string') {
    const longest = NAMES.has(name) ? LONGEST_NAME : LONGEST_TEXT
    return value.length > longest ? `${name} has ${value.length} characters` : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  const count = isList ? value.length : Object.keys(value).length
  if (count > MOST_ITEMS) return `${name || 'it'} has ${count} items`
  for (const [key, item] of Object.entries(value)) {
    if (key.length > LONGEST_NAME) return `a field has a name of ${key.length} characters`
    const found = exceeded(item, isList ? name : key)
    if (found !== undefined) return found
  }
  return undefined
}
