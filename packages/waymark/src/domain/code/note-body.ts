import { Failure } from '../../error.ts'
import { isTooDeep, LARGEST_NOTE, MOST_DOCUMENTS } from './note-limits.ts'
import type { RecordDocument } from './record.ts'
import { toRecord } from './record.ts'

/** A note taken apart: the JSON objects in it, and the other lines, which are kept as they are. */
export interface NoteBody {
  readonly documents: readonly RecordDocument[]
  readonly unreadable: readonly string[]
}

/**
 * Reads a note in any of the forms it may have: a record on each line, one pretty-printed record, or several of
 * those run together by a merge that knew nothing of JSON. What is nested too deeply is not parsed, nor is what comes
 * behind the first `most` records.
 */
export function parseNoteBody(body: string, most = MOST_DOCUMENTS): NoteBody {
  const documents: RecordDocument[] = []
  const unreadable: string[] = []
  let rest: string[] = []
  let depth = 0
  const flush = () => {
    const taken = takeObjects(rest.join('\n'), most - documents.length)
    for (const document of taken.documents) documents.push(document)
    for (const line of taken.unreadable) unreadable.push(line)
    rest = []
    depth = 0
  }
  for (const line of body.split('\n')) {
    const document = documents.length < most ? parseObject(line) : undefined
    // A line such as `{}` inside a pretty-printed record is no record of its own, but one broken line hides no others.
    if (document === undefined || (depth > 0 && !isRecord(document))) {
      rest.push(line)
      // Strings of JSON end where their line ends, so each line can be counted by itself.
      for (const brace of braces(line, depth)) depth = brace.depth
    } else {
      flush()
      documents.push(document)
    }
  }
  flush()
  return { documents, unreadable }
}

/** Whether a note has more records than are read. */
export function hasTooMany(body: string): boolean {
  // The shortest record has two characters.
  if (body.length <= 2 * MOST_DOCUMENTS) return false
  const { documents, unreadable } = parseNoteBody(body)
  return documents.length >= MOST_DOCUMENTS && unreadable.some((line) => line.includes('{'))
}

/** The note with these documents added; a document that is there already is folded into what is known of it. */
export function addToNoteBody(
  body: string | undefined,
  documents: readonly RecordDocument[],
): string {
  const current = parseNoteBody(body ?? '')
  const { text, isTooMuch } = format({
    ...current,
    documents: [...current.documents, ...documents],
  })
  if (!isTooMuch) return text
  throw new Failure(
    'conflict',
    `the note of this commit is full: it has ${current.documents.length} annotations in ${Buffer.byteLength(body ?? '')} bytes; annotate another commit`,
    { details: { reason: 'note_full' } },
  )
}

/** The union of two notes of one commit; undefined if that is more than one note can hold. */
export function joinNoteBodies(ours: string, theirs: string): string | undefined {
  const { text, isTooMuch } = join(ours, theirs)
  return isTooMuch ? undefined : text
}

/** The same, however much it is. */
export function mergeNoteBodies(ours: string, theirs: string): string {
  return join(ours, theirs).text
}

function join(ours: string, theirs: string): Formatted {
  const [a, b] = [parseNoteBody(ours), parseNoteBody(theirs)]
  return format({
    documents: [...a.documents, ...b.documents],
    unreadable: [...a.unreadable, ...b.unreadable],
  })
}

/** One line for each record, in an order that only depends on what is in them: merging is the union of lines. */
export function formatNoteBody(body: NoteBody): string {
  return format(body).text
}

interface Formatted {
  readonly text: string
  /** Not all of it would be read again. */
  readonly isTooMuch: boolean
}

function format({ documents, unreadable }: NoteBody): Formatted {
  const folded = foldById(documents).map((document) => JSON.stringify(document))
  const lines = new Set([...folded.toSorted(), ...unreadable])
  const text = [...lines].map((line) => `${line}\n`).join('')
  const isTooMuch = folded.length > MOST_DOCUMENTS || Buffer.byteLength(text) > LARGEST_NOTE
  return { text, isTooMuch }
}

/**
 * A record is written once and only its corrections and its provenance grow, so that two versions of it are joined
 * by joining those. The order in which versions arrive does not matter.
 */
export function foldById(documents: readonly RecordDocument[]): readonly RecordDocument[] {
  const byId = new Map<string, RecordDocument>()
  for (const { document, text } of inOrder(documents)) {
    const id = toRecord(document)?.id ?? text
    const known = byId.get(id)
    byId.set(id, known === undefined ? document : joinVersions(known, document))
  }
  return [...byId.values()]
}

function joinVersions(one: RecordDocument, other: RecordDocument): RecordDocument {
  const regions = asList(one['regions']).map((region, at) => {
    const corrections = unique([
      ...asList(region['corrections']),
      ...asList(asList(other['regions'])[at]?.['corrections']),
    ])
    return corrections.length === 0 ? region : { ...region, corrections }
  })
  return {
    ...other,
    ...one,
    ...(regions.length > 0 && { regions }),
    ...joinProvenance(one['provenance'], other['provenance']),
  }
}

function joinProvenance(one: unknown, other: unknown): RecordDocument {
  const [a, b] = [asFields(one), asFields(other)]
  if (a === undefined || b === undefined) return {}
  // A copy that git made by itself still says `initial`; the one that tells where it comes from knows more.
  const told = a['operation'] === 'initial' ? { ...a, ...b } : { ...b, ...a }
  const derived = [...asTexts(a['derived_from']), ...asTexts(b['derived_from'])]
  return { provenance: { ...told, derived_from: [...new Set(derived)].toSorted() } }
}

/** Ordered by their text, which is made once for each. */
function inOrder(
  documents: readonly RecordDocument[],
): readonly { readonly document: RecordDocument; readonly text: string }[] {
  return documents
    .map((document) => ({ document, text: JSON.stringify(document) }))
    .toSorted((a, b) => compareText(a.text, b.text))
}

/**
 * In the order of time; of those made at the same moment, in one that every clone agrees on. A call that was repeated
 * because its answer got lost may have left its correction twice, at different times: the earliest counts.
 */
function unique(corrections: readonly RecordDocument[]): readonly RecordDocument[] {
  const ordered = inOrder(corrections)
    .map(({ document }) => document)
    .toSorted((a, b) => compareText(String(a['timestamp']), String(b['timestamp'])))
  const byName = new Map<string, RecordDocument>()
  for (const one of ordered) {
    const name = JSON.stringify(typeof one['id'] === 'string' ? one['id'] : one)
    if (!byName.has(name)) byName.set(name, one)
  }
  return [...byName.values()]
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function asList(value: unknown): readonly RecordDocument[] {
  return Array.isArray(value) ? (value as unknown[]).map((item) => asFields(item) ?? {}) : []
}

function asTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function asFields(value: unknown): RecordDocument | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined
}

function parseObject(text: string): RecordDocument | undefined {
  if (!/^\s*\{/.test(text) || isTooDeep(text)) return undefined
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The objects in a text that is not one object for each line; what is between them is given back as it is. */
function takeObjects(text: string, most: number): NoteBody {
  const documents: RecordDocument[] = []
  const unreadable: string[] = []
  let from = 0
  for (const end of objectEnds(text)) {
    const start = text.indexOf('{', from)
    const document = documents.length < most ? parseObject(text.slice(start, end)) : undefined
    unreadable.push(text.slice(from, document === undefined ? end : start))
    if (document !== undefined) documents.push(document)
    from = end
  }
  return { documents, unreadable: [...unreadable, text.slice(from)].flatMap(linesOf) }
}

function isRecord(document: RecordDocument): boolean {
  return '$schema' in document || 'schema' in document
}

/** The positions behind each brace that closes an outermost object. */
function* objectEnds(text: string): Generator<number> {
  for (const { at, depth } of braces(text)) if (depth === 0) yield at + 1
}

/** Every brace outside of strings, with the depth behind it. */
function* braces(
  text: string,
  outer = 0,
): Generator<{ readonly at: number; readonly depth: number }> {
  let depth = outer
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at += 1
      else if (character === '"') quoted = false
    } else if (character === '"' && depth > 0) quoted = true
    else if (character === '{') yield { at, depth: (depth += 1) }
    else if (character === '}' && depth > 0) yield { at, depth: (depth -= 1) }
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}
