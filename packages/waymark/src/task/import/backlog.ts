import { PRIORITIES, type TaskStatus } from '../task.ts'
import { type Comment, toCommentList } from './comments.ts'
import {
  type ImportedTask,
  isRecord,
  type Remarks,
  text,
  texts,
  toDate,
  toIso,
  toSections,
} from './imported-task.ts'
import { lookUp } from '../../support/look-up.ts'

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  'to do': 'todo',
  todo: 'todo',
  'in progress': 'in_progress',
  blocked: 'blocked',
  // Not handed out there either, until it is promoted.
  draft: 'blocked',
  done: 'done',
  cancelled: 'cancelled',
}

const READ: ReadonlySet<string> = new Set(
  `id title status assignee reporter created_date updated_date labels dependencies parent_task_id
  parent subtasks priority due_date waymark`.split(/\s+/),
)

/** Bytes that a close reason may have. */
const LONGEST_REASON = 4096

/** A file of Backlog.md: YAML between two lines of dashes, then Markdown. */
export interface BacklogFile {
  readonly name: string
  /** The YAML, already parsed. */
  readonly matter: unknown
  readonly body: string
  /** It is in the folder of drafts. */
  readonly isDraft?: boolean
}

export function readBacklogFile(
  { name, matter, body, isDraft = false }: BacklogFile,
  remarks: Remarks,
): ImportedTask | undefined {
  const id = isRecord(matter) ? text(matter['id'])?.toLowerCase() : undefined
  if (!isRecord(matter) || id === undefined) {
    remarks.add(`${name} has no id and was left out`)
    return undefined
  }
  remarks.addUnread(matter, READ)
  const status = isDraft ? 'Draft' : (text(matter['status']) ?? 'To Do')
  const known = lookUp(STATUSES, status.toLowerCase())
  if (known === undefined) remarks.add(`status ${status} became todo, with a label`)
  const isLabelled = known === undefined || status.toLowerCase() === 'draft'
  const label = known === undefined ? status : status.toLowerCase()
  const [assignee, ...others] = texts(matter['assignee'])
  if (others.length > 0) remarks.add('of several assignees the first was taken over')
  const priority = text(matter['priority'])?.toLowerCase()
  const parent = text(matter['parent_task_id']) ?? text(matter['parent'])
  const parts = readBody(body, known === 'done')
  return {
    ref: `backlog:${id}`,
    key: id,
    own: toOwn(matter['waymark']) ?? toOwn({ id: markedId(body) }),
    title: text(matter['title']) ?? id,
    content: parts.content,
    labels: [...texts(matter['labels']), ...(isLabelled ? [label] : [])],
    status: known ?? 'todo',
    priority: priority === 'medium' ? PRIORITIES.normal : toPriority(priority),
    due_date: toDate(matter['due_date']),
    assignee: assignee?.replace(/^@/, ''),
    acceptance_criteria: parts.criteria.length === 0 ? undefined : parts.criteria,
    author: text(matter['reporter'])?.replace(/^@/, ''),
    created_at: toIso(matter['created_date']),
    completed_at: known === 'done' ? toIso(matter['updated_date']) : undefined,
    close_reason: parts.closeReason,
    relations: [
      ...texts(matter['dependencies']).map((dependency) => ({
        type: 'blocked_by',
        ref: `backlog:${dependency.toLowerCase()}`,
      })),
      ...(parent === undefined
        ? []
        : [{ type: 'subtask_of', ref: `backlog:${parent.toLowerCase()}` }]),
    ],
  }
}

function toPriority(name: string | undefined): number | undefined {
  return name === 'high' || name === 'low' ? PRIORITIES[name] : undefined
}

/** What an export has noted of the task, see `OwnName`. */
export function toOwn(value: unknown): ImportedTask['own'] {
  const id = isRecord(value) ? text(value['id']) : undefined
  return id === undefined || !isRecord(value) ? undefined : { id, key: text(value['key']) }
}

/** The id in the mark of an export, which stays when Backlog.md writes the file and drops fields that it does not know. */
export function markedId(body: string): string | undefined {
  return /^<!-- waymark:([\da-f-]{36}) -->[ \t]*$/m.exec(body)?.[1]
}

/** The parts of a task that Backlog.md has sections for, and the rest as it stands there. */
export function readBody(source: string, isDone: boolean) {
  const body = source.replaceAll('\r\n', '\n')
  const description = takeSection(body, 'Description', 'SECTION:DESCRIPTION')
  const acceptance = takeSection(description.rest, 'Acceptance Criteria', 'AC')
  const talk = takeSection(acceptance.rest, 'Comments', 'COMMENTS')
  const summary = takeSection(talk.rest, 'Final Summary', 'SECTION:FINAL_SUMMARY')
  const isReason =
    isDone && summary.text !== '' && Buffer.byteLength(summary.text) <= LONGEST_REASON
  const { criteria, others } = toCriteria(acceptance.text)
  const comments = toComments(talk.text)
  const sections = toSections(description.text, { 'Acceptance Criteria': others })
  const rest = withoutMarks(isReason ? summary.rest : talk.rest)
  const parts = [sections, rest, comments && `## Comments\n\n${comments}`]
  return {
    content: parts.filter(Boolean).join('\n\n') || undefined,
    criteria,
    closeReason: isReason ? summary.text : undefined,
  }
}

/** A section without its heading and marks, and the text without the section. */
function takeSection(body: string, title: string, mark: string) {
  const heading = findLine(body, `## ${title}`)
  if (heading === undefined) return { text: '', rest: body }
  const after = body.slice(heading.end)
  const begin = `<!-- ${mark}:BEGIN -->`
  const end = `<!-- ${mark}:END -->`
  const endAt = after.trimStart().startsWith(begin) ? after.indexOf(end) : -1
  const nextAt = after.search(/^## /m)
  const stop = endAt !== -1 ? endAt + end.length : nextAt === -1 ? after.length : nextAt
  return {
    text: withoutMarks(after.slice(0, stop)),
    rest: [body.slice(0, heading.start).trimEnd(), after.slice(stop).trimStart()]
      .filter(Boolean)
      .join('\n\n'),
  }
}

function findLine(text: string, wanted: string) {
  let start = 0
  for (const line of text.split('\n')) {
    const end = start + line.length
    if (line.trimEnd().toLowerCase() === wanted.toLowerCase()) return { start, end }
    start = end + 1
  }
  return undefined
}

const MARK =
  /^[ \t]*<!-- (?:(?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END)|waymark:[\da-f-]+) -->[ \t]*\n?/gm

export function withoutMarks(text: string): string {
  return text.replaceAll(MARK, '').trim()
}

/** The items of the list without their numbers, a checked one with its mark; and what else stands there. */
function toCriteria(section: string) {
  const criteria: string[] = []
  const others: string[] = []
  for (const line of section.split('\n')) {
    const [, mark = '', rest = ''] = /^- \[(.)\](.+)$/.exec(line.trim()) ?? []
    const item = rest.trim().replace(/^#\d+/, '').trim()
    if (item === '') others.push(line)
    else criteria.push(`${mark === ' ' ? '' : '[x] '}${item}`)
  }
  return { criteria, others: others.join('\n').trim() }
}

/** A comment is lines `author:` and `created:`, a rule, and the text up to the next rule. */
function toComments(section: string): string | undefined {
  if (section === '') return undefined
  const blocks = oldComments(section).map((block) => block.split(/\n[ \t]*\n/))
  const pieces =
    blocks.length > 0
      ? blocks.flatMap(([facts = '', ...text]) => [facts, text.join('\n\n')])
      : section.split(/^---[ \t]*$/m)
  const comments: Comment[] = []
  for (let at = 0; at + 1 < pieces.length; at += 2) {
    const facts = pieces[at] ?? ''
    const [, author] = /^author:(.+)$/m.exec(facts) ?? []
    const [, created] = /^created:(.+)$/m.exec(facts) ?? []
    comments.push({
      author: author?.trim().replace(/^@/, ''),
      at: toIso(created?.trim()),
      text: (pieces[at + 1] ?? '').trim(),
    })
  }
  return comments.length === 0 ? section : toCommentList(comments)
}

/** Earlier versions put each comment between marks, with a blank line before the text. */
function oldComments(section: string): readonly string[] {
  const [, ...begun] = section.split('<!-- COMMENT:BEGIN -->\n')
  return begun.flatMap((text) => {
    const end = text.indexOf('<!-- COMMENT:END -->')
    return end === -1 ? [] : [text.slice(0, end)]
  })
}
