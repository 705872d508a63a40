import type { Origin } from '../../agent/origin.ts'
import { violation } from '../../core/input/parse.ts'
import { firstCharacters, toStorable } from '../../support/text/visible-text.ts'
import { hashText } from '../spec/prd.ts'
import type { TaskStatus } from '../task.ts'

/** A task of another tool in our schema. It refers to other tasks by their `ref`. */
export interface ImportedTask {
  /** The tool's name and the task's id there: stable across imports. */
  readonly ref: string
  /** The name people know it by there. */
  readonly key: string
  /** What an export of ours has noted: the task that it was, and its own key. */
  readonly own?: OwnName | undefined
  readonly title: string
  readonly content?: string | undefined
  readonly labels: readonly string[]
  readonly status: TaskStatus
  readonly priority?: number | undefined
  readonly due_date?: string | undefined
  readonly defer_until?: string | undefined
  readonly assignee?: string | undefined
  readonly task_type?: string | undefined
  readonly acceptance_criteria?: readonly string[] | undefined
  readonly locks?: readonly string[] | undefined
  readonly needs_verification?: boolean | undefined
  readonly prd?: unknown
  /** Who wrote it, as the tool says. */
  readonly author?: string | undefined
  /** Times as ISO 8601. */
  readonly created_at?: string | undefined
  readonly completed_at?: string | undefined
  readonly completed_by?: string | undefined
  readonly verified_at?: string | undefined
  readonly verified_by?: string | undefined
  readonly close_reason?: string | undefined
  readonly relations: readonly ImportedRelation[]
}

/** Stored with what was imported, to tell whether the source has changed since. */
export function hashImported(item: ImportedTask | ImportedKnowledge): string {
  const { own: _, ...said } = item
  return hashText(JSON.stringify(said))
}

/** Formats that need ids of their own form carry this along, so that what was exported is found again. */
export interface OwnName {
  readonly id: string
  readonly key: string | undefined
}

/**
 * Read from the task that has it: it `blocks` another, or is blocked by it (`blocked_by`), or is a part of it. A decision
 * `supersedes` another or is `superseded_by` it.
 */
export interface ImportedRelation {
  readonly type: string
  readonly ref: string
}

/** A decision, note or component of another tool in our schema. */
export interface ImportedKnowledge {
  /** The tool's name and the id there: stable across imports. */
  readonly ref: string
  /** The name people know it by there. */
  readonly key: string
  readonly own?: OwnName | undefined
  readonly type: 'decision' | 'note' | 'component'
  readonly title: string
  readonly content?: string | undefined
  readonly labels: readonly string[]
  /** Only those that the tool has; `null` is one that is empty there. */
  readonly properties: Readonly<Record<string, unknown>>
  readonly author?: string | undefined
  readonly created_at?: string | undefined
  readonly relations: readonly ImportedRelation[]
}

/** The imported tasks and other entities, and remarks on data that could not be imported unchanged. */
export interface ImportSource {
  readonly tasks: readonly ImportedTask[]
  readonly knowledge?: readonly ImportedKnowledge[]
  readonly remarks: readonly string[]
}

/** Collects remarks on unsupported data, so that nothing is dropped silently. */
export class Remarks {
  readonly #counts = new Map<string, number>()

  add(remark: string): void {
    this.#counts.set(remark, (this.#counts.get(remark) ?? 0) + 1)
  }

  /** Adds a remark for each non-empty field that the import did not read. */
  addUnread(record: Readonly<Record<string, unknown>>, read: ReadonlySet<string>): void {
    for (const [field, value] of Object.entries(record)) {
      if (!read.has(field) && !isEmpty(value)) this.add(`field ${field} was not taken over`)
    }
  }

  list(): string[] {
    return [...this.#counts].map(([remark, count]) =>
      count === 1 ? remark : `${remark} (${count} times)`,
    )
  }
}

const LONGEST_AUTHOR = 100

/** Provenance of an imported text: the tool, and whom it names as the author, which nothing proves. */
export function toImportOrigin({ ref, author }: Pick<ImportedTask, 'ref' | 'author'>): Origin {
  const name = firstCharacters(toStorable(author ?? '').trim(), LONGEST_AUTHOR)
  return { imported: ref.split(':')[0] ?? '', ...(name !== '' && { author: name }) }
}

/** The JSON objects of a file with one in each line. A line that is none may be cut off, so nothing is taken. */
export function* parseLines(lines: string) {
  for (const [index, line] of lines
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    yield { at: index + 1, record: parseLine(line, index + 1) }
  }
}

function parseLine(line: string, at: number): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // said below
  }
  if (isRecord(value)) return value
  throw violation('path', 'bad_format', `line ${at} is not a JSON object; nothing was imported`, {
    line: at,
  })
}

/** Sections under their headings; those without text are left out. */
export function toSections(
  first: string | undefined,
  sections: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const titled = Object.entries(sections)
    .filter(([, text]) => text !== undefined && text.trim() !== '')
    .map(([title, text]) => `## ${title}\n\n${text}`)
  const parts = [first, ...titled].filter((text) => text !== undefined && text.trim() !== '')
  return parts.length === 0 ? undefined : parts.join('\n\n')
}

/** The inverse of `toSections`. A text that it would not give back as it is stays whole. */
export function fromSections(content: string, titles: readonly string[]) {
  const sections: Record<string, string> = {}
  let first = content
  for (const title of titles.toReversed()) {
    const heading = `## ${title}\n\n`
    const at = first.startsWith(heading) ? 0 : first.lastIndexOf(`\n\n${heading}`)
    if (at === -1) continue
    const start = first.indexOf(heading, at)
    sections[title] = first.slice(start + heading.length)
    first = first.slice(0, at)
  }
  const inOrder = Object.fromEntries(titles.map((title) => [title, sections[title]]))
  const isSame = toSections(first, inOrder) === content
  return isSame ? { first: first || undefined, sections } : { first: content, sections: {} }
}

export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

export function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return text(value) === undefined ? [] : [String(value)]
  return value.map(text).filter((item) => item !== undefined)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The day of a time, as due dates are written. */
export function toDate(value: unknown): string | undefined {
  return /^\d{4}-\d{2}-\d{2}/.exec(text(value) ?? '')?.[0]
}

/** A time as ISO 8601 in UTC; what is no time is left out. */
export function toIso(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString()
  const given = text(value)
  // Tools that write a time without its zone mean UTC.
  const zoned = given?.replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}(:\d{2})?)$/, '$1T$2Z')
  const time = Date.parse(zoned ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}
