import { readDecision } from '../../exchange/import/adr.ts'
import type { TaskStatus } from '../task.ts'
import { toOwn } from './backlog.ts'
import { toCommentList } from './comments.ts'
import {
  type ImportedKnowledge,
  type ImportedRelation,
  type ImportedTask,
  type ImportSource,
  isRecord,
  type OwnName,
  parseLines,
  Remarks,
  text,
  texts,
  toDate,
  toIso,
  toSections,
} from './imported-task.ts'
import { lookUp } from '../../support/look-up.ts'

type Issue = Readonly<Record<string, unknown>>

/** The label of an issue that was closed without being done. */
export const CANCELLED = 'cancelled'

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  open: 'todo',
  in_progress: 'in_progress',
  hooked: 'in_progress',
  blocked: 'blocked',
  // Neither is handed out as work there; a deferred issue with a date waits for it.
  deferred: 'blocked',
  pinned: 'blocked',
  closed: 'done',
  // Closed there, with a label.
  [CANCELLED]: 'cancelled',
}

/** Statuses that say more than ours, kept as a label. */
export const LABELLED: ReadonlySet<string> = new Set(['deferred', 'pinned', 'hooked'])

export const RELATIONS: Readonly<Record<string, string>> = {
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
export const PRIORITY_STEP = 250

const READ: ReadonlySet<string> = new Set(
  `id title description design acceptance_criteria notes status priority issue_type assignee labels
  dependencies comments created_at created_by updated_at closed_at close_reason due_at defer_until
  external_ref metadata`.split(/\s+/),
)

/** Headings of the fields that a task has no place for, in the order in which its text has them. */
export const SECTIONS = {
  design: 'Design',
  notes: 'Notes',
  external_ref: 'External reference',
  comments: 'Comments',
} as const

/** The issues in a file with one JSON object in each line, as `.beads/issues.jsonl` has them. */
export function readBeads(lines: string): ImportSource {
  const remarks = new Remarks()
  const tasks: ImportedTask[] = []
  const knowledge: ImportedKnowledge[] = []
  for (const { at, record: issue } of parseLines(lines)) {
    if (text(issue['id']) === undefined || text(issue['title']) === undefined)
      remarks.add(`line ${at} has no id or no title and was left out`)
    else if (issue['status'] === 'tombstone') remarks.add('a deleted issue was left out')
    else if (DECISIONS.has(text(issue['issue_type']) ?? ''))
      knowledge.push(toDecision(issue, remarks))
    else tasks.push(toTask(issue, remarks))
  }
  return { tasks, knowledge, remarks: remarks.list() }
}

/** The issue type and its other names. */
const DECISIONS: ReadonlySet<string> = new Set(['decision', 'adr', 'dec'])

/** A decision that was closed there is made, unless a label says more. */
function toDecision(issue: Issue, remarks: Remarks): ImportedKnowledge {
  const body = toText(issue) ?? ''
  remarks.addUnread(issue, READ)
  addMetadata(issue, remarks)
  for (const field of ['priority', 'assignee', 'due_at', 'defer_until']) {
    if (issue[field] !== undefined) remarks.add(`${field} of a decision was not taken over`)
  }
  const id = String(issue['id'])
  const found = readDecision(
    { path: id, matter: {}, body },
    { tool: 'beads', paths: new Map(), remarks },
  )
  const labels = texts(issue['labels'])
  const closed = labels.find((label) => label === 'deprecated' || label === 'superseded')
  const status = issue['status'] === 'closed' ? (closed ?? 'accepted') : 'proposed'
  return {
    ref: `beads:${id}`,
    key: id,
    type: 'decision',
    title: String(issue['title']),
    own: ownOf(issue),
    content: found === undefined ? body || undefined : found.content,
    labels: labels.filter((label) => label !== status),
    properties: { context: null, consequences: [], ...found?.properties, status },
    author: text(issue['created_by']),
    created_at: toIso(issue['created_at']),
    relations: toRelations(issue['dependencies'], remarks),
  }
}

/** Of the metadata only what an export of ours has noted is read. */
function addMetadata({ metadata }: Issue, remarks: Remarks): void {
  remarks.addUnread({ metadata: withoutOwn(metadata) }, new Set())
}

function ownOf({ metadata }: Issue): OwnName | undefined {
  return isRecord(metadata) ? toOwn(metadata['waymark']) : undefined
}

function withoutOwn(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== 'waymark'))
}

function toText(issue: Issue): string | undefined {
  return toSections(text(issue['description']), {
    [SECTIONS.design]: text(issue['design']),
    [SECTIONS.notes]: text(issue['notes']),
    [SECTIONS.external_ref]: text(issue['external_ref']),
    [SECTIONS.comments]: toComments(issue['comments']),
  })
}

function toTask(issue: Issue, remarks: Remarks): ImportedTask {
  remarks.addUnread(issue, READ)
  addMetadata(issue, remarks)
  const id = String(issue['id'])
  const labels = texts(issue['labels'])
  const given = text(issue['status']) ?? 'open'
  const status = given === 'closed' && labels.includes(CANCELLED) ? CANCELLED : given
  const known = lookUp(STATUSES, status)
  if (known === undefined) remarks.add(`status ${status} became todo, with a label`)
  const deferUntil = toIso(issue['defer_until'])
  const isPutOff = status === 'deferred' && deferUntil !== undefined
  const isLabelled = known === undefined || (LABELLED.has(status) && !isPutOff)
  const priority = issue['priority']
  return {
    ref: `beads:${id}`,
    key: id,
    title: String(issue['title']),
    own: ownOf(issue),
    content: toText(issue),
    labels: [
      ...labels.filter((label) => label !== status || status !== CANCELLED),
      ...(isLabelled ? [status] : []),
    ],
    status: isPutOff ? 'todo' : (known ?? 'todo'),
    priority: typeof priority === 'number' ? Math.min(1000, priority * PRIORITY_STEP) : undefined,
    due_date: toDate(issue['due_at']),
    defer_until: deferUntil,
    assignee: text(issue['assignee']),
    task_type: text(issue['issue_type']),
    acceptance_criteria: toCriteria(issue['acceptance_criteria']),
    author: text(issue['created_by']),
    created_at: toIso(issue['created_at']),
    completed_at: status === 'closed' ? toIso(issue['closed_at']) : undefined,
    close_reason: text(issue['close_reason']),
    relations: toRelations(issue['dependencies'], remarks),
  }
}

function toCriteria(value: unknown): string[] | undefined {
  const lines = text(value)?.split('\n') ?? []
  const criteria = lines.map((line) =>
    line.replace(/^\s*([-*]|\d+\.)\s*(\[ \]\s*|(?=\[x\]))?/i, '').trim(),
  )
  const filled = criteria.filter((line) => line !== '')
  return filled.length === 0 ? undefined : filled
}

function toComments(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  return toCommentList(
    value.filter(isRecord).map((comment) => ({
      author: text(comment['author']),
      at: toIso(comment['created_at']),
      text: text(comment['text']) ?? '',
    })),
  )
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
    return [{ type: lookUp(RELATIONS, type) ?? type.replaceAll('-', '_'), ref: `beads:${target}` }]
  })
}
