import { PRIORITIES, type TaskStatus } from '../task.ts'
import {
  type ImportedTask,
  isRecord,
  type Remarks,
  text,
  texts,
  toDate,
  toIso,
} from './imported-task.ts'

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  'to do': 'todo',
  todo: 'todo',
  'in progress': 'in_progress',
  blocked: 'blocked',
  done: 'done',
}

const READ: ReadonlySet<string> = new Set(
  `id title status assignee created_date updated_date labels dependencies parent_task_id parent
  priority due_date`.split(/\s+/),
)

/** A file of Backlog.md: YAML between two lines of dashes, then Markdown. */
export interface BacklogFile {
  readonly name: string
  /** The YAML, already parsed. */
  readonly matter: unknown
  readonly body: string
}

/** The YAML and the Markdown of a file, or undefined if it is not of this form. */
export function splitMatter(source: string): { matter: string; body: string } | undefined {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(source)
  if (match === null) return undefined
  return { matter: match[1] ?? '', body: source.slice(match[0].length) }
}

export function readBacklogFile(
  { name, matter, body }: BacklogFile,
  remarks: Remarks,
): ImportedTask | undefined {
  const id = isRecord(matter) ? text(matter['id'])?.toLowerCase() : undefined
  if (!isRecord(matter) || id === undefined) {
    remarks.add(`${name} has no id and was left out`)
    return undefined
  }
  remarks.addUnread(matter, READ)
  const status = text(matter['status']) ?? 'To Do'
  const known = STATUSES[status.toLowerCase()]
  if (known === undefined) remarks.add(`status ${status} became todo, with a label`)
  const [assignee, ...others] = texts(matter['assignee'])
  if (others.length > 0) remarks.add('of several assignees the first was taken over')
  const priority = text(matter['priority'])?.toLowerCase()
  const parent = text(matter['parent_task_id']) ?? text(matter['parent'])
  return {
    ref: `backlog:${id}`,
    key: id,
    title: text(matter['title']) ?? id,
    content: body.trim() === '' ? undefined : body.trim(),
    labels: [...texts(matter['labels']), ...(known === undefined ? [status] : [])],
    status: known ?? 'todo',
    priority: priority === 'medium' ? PRIORITIES.normal : toPriority(priority),
    due_date: toDate(matter['due_date']),
    assignee: assignee?.replace(/^@/, ''),
    acceptance_criteria: toCriteria(body),
    created_at: toIso(matter['created_date']),
    completed_at: known === 'done' ? toIso(matter['updated_date']) : undefined,
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

/** The items of the list under the heading, without their boxes and numbers. */
function toCriteria(body: string): string[] | undefined {
  const [, after = ''] = body.split(/^## Acceptance Criteria[ \t]*\r?$/m, 2)
  const [section = ''] = after.split(/^## /m, 1)
  const items = [...section.matchAll(/^[ \t]*- \[.\][ \t]*(?:#\d+[ \t]*)?(.+)/gm)]
  return items.length === 0 ? undefined : items.map(([, item = '']) => item.trim())
}
