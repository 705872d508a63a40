import type { TaskStatus } from '../task.ts'
import {
  type ImportedRelation,
  type ImportedTask,
  type ImportSource,
  isRecord,
  Remarks,
  text,
  texts,
  toDate,
  toIso,
  toSections,
} from './imported-task.ts'

type Issue = Readonly<Record<string, unknown>>

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  open: 'todo',
  in_progress: 'in_progress',
  hooked: 'in_progress',
  blocked: 'blocked',
  // Neither is handed out as work there; a deferred issue with a date waits for it.
  deferred: 'blocked',
  pinned: 'blocked',
  closed: 'done',
}

/** Statuses that say more than ours, kept as a label. */
const LABELLED: ReadonlySet<string> = new Set(['deferred', 'pinned', 'hooked'])

const RELATIONS: Readonly<Record<string, string>> = {
  blocks: 'blocked_by',
  'conditional-blocks': 'blocked_by',
  'waits-for': 'blocked_by',
  'parent-child': 'subtask_of',
  'discovered-from': 'discovered_from',
  duplicates: 'duplicates',
  supersedes: 'supersedes',
  related: 'references',
  'relates-to': 'references',
}

/** 0 is the most urgent of five. */
const PRIORITY_STEP = 250

const READ: ReadonlySet<string> = new Set(
  `id title description design acceptance_criteria notes status priority issue_type assignee labels
  dependencies comments created_at updated_at closed_at close_reason due_at defer_until`.split(
    /\s+/,
  ),
)

/** The issues in a file with one JSON object in each line, as `.beads/issues.jsonl` has them. */
export function readBeads(lines: string): ImportSource {
  const remarks = new Remarks()
  const tasks: ImportedTask[] = []
  for (const [at, line] of lines.split('\n').entries()) {
    if (line.trim() === '') continue
    const issue = parseLine(line)
    if (issue === undefined) remarks.add(`line ${at + 1} is not a JSON object with id and title`)
    else if (issue['status'] === 'tombstone') remarks.add('a deleted issue was left out')
    else tasks.push(toTask(issue, remarks))
  }
  return { tasks, remarks: remarks.list() }
}

function parseLine(line: string): Issue | undefined {
  try {
    const issue: unknown = JSON.parse(line)
    const isIssue = isRecord(issue) && text(issue['id']) !== undefined && text(issue['title'])
    return isIssue ? issue : undefined
  } catch {
    return undefined
  }
}

function toTask(issue: Issue, remarks: Remarks): ImportedTask {
  remarks.addUnread(issue, READ)
  const id = String(issue['id'])
  const status = text(issue['status']) ?? 'open'
  const known = STATUSES[status]
  if (known === undefined) remarks.add(`status ${status} became todo, with a label`)
  const deferUntil = toIso(issue['defer_until'])
  const isLabelled = known === undefined || LABELLED.has(status)
  const priority = issue['priority']
  return {
    ref: `beads:${id}`,
    key: id,
    title: String(issue['title']),
    content: toSections(text(issue['description']), {
      Design: text(issue['design']),
      Notes: text(issue['notes']),
      Comments: toComments(issue['comments']),
    }),
    labels: [...texts(issue['labels']), ...(isLabelled ? [status] : [])],
    status: status === 'deferred' && deferUntil !== undefined ? 'todo' : (known ?? 'todo'),
    priority: typeof priority === 'number' ? Math.min(1000, priority * PRIORITY_STEP) : undefined,
    due_date: toDate(issue['due_at']),
    defer_until: deferUntil,
    assignee: text(issue['assignee']),
    task_type: text(issue['issue_type']),
    acceptance_criteria: toCriteria(issue['acceptance_criteria']),
    created_at: toIso(issue['created_at']),
    completed_at: status === 'closed' ? toIso(issue['closed_at']) : undefined,
    close_reason: text(issue['close_reason']),
    relations: toRelations(issue['dependencies'], remarks),
  }
}

function toCriteria(value: unknown): string[] | undefined {
  const lines = text(value)?.split('\n') ?? []
  const criteria = lines.map((line) => line.replace(/^\s*([-*]|\d+\.)\s*(\[.\]\s*)?/, '').trim())
  const filled = criteria.filter((line) => line !== '')
  return filled.length === 0 ? undefined : filled
}

function toComments(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const comments = value.filter(isRecord).map((comment) => {
    const who = [text(comment['author']), toIso(comment['created_at'])].filter(Boolean).join(', ')
    return `- ${who}: ${text(comment['text']) ?? ''}`
  })
  return comments.join('\n')
}

function toRelations(value: unknown, remarks: Remarks): ImportedRelation[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).flatMap((dependency) => {
    const target = text(dependency['depends_on_id'])
    const type = text(dependency['type']) ?? 'blocks'
    if (target === undefined) return []
    if (target.startsWith('external:')) {
      remarks.add(`dependency on another project (${target}) was left out`)
      return []
    }
    return [{ type: RELATIONS[type] ?? type.replaceAll('-', '_'), ref: `beads:${target}` }]
  })
}
