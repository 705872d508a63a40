import { toTime } from '../../entity/view.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Edge } from '../../graph/store.ts'
import { toVisibleJson } from '../../support/text/visible-text.ts'
import { asTask } from '../../task/fields.ts'
import { CANCELLED, LABELLED, PRIORITY_STEP, RELATIONS, SECTIONS } from '../../task/import/beads.ts'
import { parseCommentList } from '../../task/import/comments.ts'
import { fromSections, Remarks, toSections } from '../../task/import/imported-task.ts'
import type { TaskStatus } from '../../task/task.ts'
import { readDecision } from '../import/adr.ts'
import {
  addLostRelations,
  addOmissions,
  authorOf,
  type ExportContent,
  formerId,
  OMITTED,
  toBox,
  toOwnName,
} from './content.ts'

/** A prefix, a hash, and the places of a part. */
const BEADS_ID = /^[a-z][a-z\d_]*(?:-[a-z\d_]+)*-[a-z\d]+(?:\.\d+)*$/i

const LEAST_URGENT = 4

const STATUSES: Readonly<Record<TaskStatus, string>> = {
  todo: 'open',
  in_progress: 'in_progress',
  blocked: 'blocked',
  done: 'closed',
  cancelled: 'closed',
}

interface Issues {
  /** One line for each. */
  readonly lines: readonly string[]
  readonly exported: readonly EntityRow[]
  readonly remarks: readonly string[]
}

/** Tasks and decisions as the issues of a `.beads/issues.jsonl`. */
export function toBeads({ entities, relations }: ExportContent): Issues {
  const remarks = new Remarks()
  const exported = entities.filter(({ type }) => type === 'task' || type === 'decision')
  for (const { type } of entities) {
    if (type !== 'task' && type !== 'decision') remarks.add(`a ${type} has no place in beads`)
  }
  const names = toNames(exported)
  const isExported = ({ sourceId, targetId }: Edge) => names.has(sourceId) && names.has(targetId)
  addLostRelations(relations, isExported, { tool: 'beads', remarks })
  const dependencies = toDependencies(relations.filter(isExported), names)
  const lines = exported.map((row) => {
    const id = names.get(row.id) ?? row.id
    const issue = {
      id,
      title: row.title,
      ...(row.type === 'task' ? toTask(row, id, remarks) : toDecision(row, id, remarks)),
      created_at: toTime(row.createdAt),
      created_by: authorOf(row),
      updated_at: toTime(row.updatedAt),
      metadata: { waymark: toOwnName(row) },
      dependencies: dependencies.get(row.id),
    }
    return toVisibleJson(issue)
  })
  return { lines, exported, remarks: remarks.list() }
}

/** The id that it had there, else its key, else the beginning of its id, which no other one has. */
function toNames(rows: readonly EntityRow[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const give = (row: EntityRow, name: string | undefined): void => {
    if (name === undefined || names.has(row.id) || taken.has(name)) return
    names.set(row.id, name)
    taken.add(name)
  }
  for (const row of rows) give(row, formerId(row, 'beads'))
  for (const row of rows) {
    const { key } = row.properties
    if (typeof key === 'string' && BEADS_ID.test(key)) give(row, key)
  }
  for (const row of rows) {
    const digits = row.id.replaceAll('-', '')
    for (let length = 8; length <= digits.length; length += 4) {
      give(row, `wm-${digits.slice(0, length)}`)
    }
  }
  return names
}

function toTask(row: EntityRow, id: string, remarks: Remarks) {
  const task = asTask(row)
  addOmissions(row, OMITTED, { tool: 'beads', remarks })
  const priority = Math.min(LEAST_URGENT, Math.round(task.priority / PRIORITY_STEP))
  if (priority * PRIORITY_STEP !== task.priority) {
    remarks.add('a priority between the five of beads was rounded')
  }
  const criteria = task.acceptance_criteria?.map((text) => `- ${toBox(text, remarks)}`)
  return {
    ...toTexts(row, id),
    ...toStatus(row),
    priority,
    issue_type: task.task_type,
    assignee: task.assignee,
    acceptance_criteria: criteria?.join('\n'),
    due_at: task.due_date === undefined ? undefined : `${task.due_date}T00:00:00Z`,
    defer_until: task.defer_until,
    close_reason: task.close_reason,
  }
}

/** A status that beads has and we keep as a label becomes one again. */
function toStatus(row: EntityRow) {
  const task = asTask(row)
  const status = STATUSES[task.status]
  const wanted = { in_progress: ['hooked'], blocked: ['deferred', 'pinned'] }[String(task.status)]
  const isDeferred = task.defer_until !== undefined
  const label = row.tags.find(
    (tag) => LABELLED.has(tag) && wanted?.includes(tag) && !(tag === 'deferred' && isDeferred),
  )
  const isClosed = status === 'closed'
  const labels = row.tags.filter((tag) => tag !== label)
  return {
    status: label ?? status,
    labels: task.status === 'cancelled' ? [...labels, CANCELLED] : labels,
    closed_at: isClosed ? (task.completed_at ?? toTime(row.updatedAt)) : undefined,
  }
}

/** The text, taken apart if that can be undone. */
function toTexts({ content }: EntityRow, id: string) {
  if (content === null) return {}
  const { first, sections } = fromSections(content, Object.values(SECTIONS))
  const comments = parseCommentList(sections[SECTIONS.comments] ?? '')
  // Comments of another form stay text, and so does the whole.
  if (SECTIONS.comments in sections && comments === undefined) return { description: content }
  return {
    description: first,
    design: sections[SECTIONS.design],
    notes: sections[SECTIONS.notes],
    external_ref: sections[SECTIONS.external_ref],
    comments: comments?.map(({ author, at, text }, index) => ({
      id: index + 1,
      issue_id: id,
      author,
      text,
      created_at: at,
    })),
  }
}

function toDecision(row: EntityRow, id: string, remarks: Remarks) {
  const { context, consequences } = row.properties
  const items = Array.isArray(consequences) ? consequences.map((text) => `- ${String(text)}`) : []
  const description = toSections(row.content ?? undefined, {
    Context: typeof context === 'string' ? context : undefined,
    Consequences: items.join('\n'),
  })
  const back = readDecision(
    { path: id, matter: {}, body: description ?? '' },
    { tool: 'beads', paths: new Map(), remarks: new Remarks() },
  )
  const isSame =
    (back?.content ?? (back === undefined ? description : undefined)) ===
      (row.content ?? undefined) &&
    (back?.properties['context'] ?? undefined) === context &&
    JSON.stringify(back?.properties['consequences'] ?? []) === JSON.stringify(consequences ?? [])
  if (!isSame) remarks.add('the parts of a decision come back in another form')
  const isOpen = row.status === 'proposed'
  const label = isOpen || row.status === 'accepted' || row.status === null ? [] : [row.status]
  return {
    issue_type: 'decision',
    description,
    status: isOpen ? 'open' : 'closed',
    labels: [...row.tags, ...label],
    closed_at: isOpen ? undefined : toTime(row.updatedAt),
  }
}

/** Each word of ours and the one that stands for it there; the first one where there are several. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(RELATIONS)
    .toReversed()
    .map(([theirs, ours]) => [ours, theirs]),
)

function toDependencies(
  relations: readonly Edge[],
  names: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly object[]> {
  const found = new Map<string, object[]>()
  for (const { sourceId, type, targetId, createdAt, createdBy } of relations) {
    // Ours starts at the task that blocks, theirs at the one that waits.
    const isBlock = type === 'blocks'
    const [from, to] = isBlock ? [targetId, sourceId] : [sourceId, targetId]
    const dependency = {
      issue_id: names.get(from),
      depends_on_id: names.get(to),
      type: isBlock ? 'blocks' : (WORDS.get(type) ?? type.replaceAll('_', '-')),
      created_at: toTime(createdAt),
      created_by: createdBy ?? undefined,
    }
    const known = found.get(from)
    if (known === undefined) found.set(from, [dependency])
    else known.push(dependency)
  }
  return found
}
