const KIB = 1024
const MIB = 1024 * KIB

/**
 * Limits of a log line. Anyone with push access to a remote can write lines, so each limit is checked before further
 * parsing, and depends only on the line: all clones set aside the same lines.
 */
export const LINE_LIMITS = {
  bytes: 8 * MIB,
  /** Nesting of the whole line: seven levels of the update itself, sixteen of a value in it. */
  depth: 7 + 16,
  /** The document engine takes the square of the number of changes to import them. */
  changes: 2_000,
  ops: 100_000,
  peers: 10_000,
  deps: 1_000,
  /** Characters of one inserted text, twice what one call may send: the engine takes their square. */
  text: 200 * KIB + 1,
  /** Characters of one value as JSON; the longest local one is the excerpt and the references of a PRD. */
  value: 256 * KIB,
  /** Characters of a name in a map: an item of a list is kept as one. */
  key: 8 * KIB,
  /** Characters of the author of a change. */
  author: KIB,
} as const

/** Lines are written at most this long where they can be cut, and with at most so many changes. */
export const WRITTEN_LINE = { length: MIB, changes: 500 } as const

/** A segment is closed when it has grown so large, in characters. */
export const FULL_SEGMENT = MIB

/** Bytes of a segment before its last line, and of all of it. Larger ones are set aside without reading their lines. */
export const SEGMENT_LIMITS = {
  beforeLast: 4 * FULL_SEGMENT,
  all: 4 * FULL_SEGMENT + 2 * LINE_LIMITS.bytes,
} as const

/**
 * Limits of a document with remote changes; each inserted or deleted character is an operation. Local changes are never
 * refused.
 */
export const DOCUMENT_LIMITS = {
  changes: 10_000,
  operations: 32 * MIB,
  /** Operations that the author of a change did not know of: the engine has to work them out again. */
  beside: 2 * MIB,
} as const

/** Bytes of the lines of one entity that may wait for something they build on. */
export const WAITING_LIMIT = 16 * MIB

/** Goes up with every change of a limit: lines that were set aside by an older one are tried again. */
export const LIMITS_VERSION = 1

/** Why a line, or a whole segment, was set aside. */
export const REASONS = {
  too_long: 'the line is longer than 8 MiB',
  too_deep: 'a value is nested more than 16 levels deep',
  too_large: 'a text, a value or a name is larger than any that Waymark writes',
  too_many: 'it has more changes, operations or authors than a line may have',
  bad_form: 'it is sealed, but no update that this version understands',
  refused: 'the document engine refuses its operations',
  engine_fault: 'the document engine failed on it',
  document_full: 'the history of its entity is too long for more',
  waiting: 'too many changes of its entity wait for others that have not arrived',
  segment_too_large: 'the segment is larger than any that Waymark writes',
  unsigned: 'its commit is not signed with a key that you trust',
  damaged: 'lines of the segment are cut off or altered',
} as const
export type Reason = keyof typeof REASONS
