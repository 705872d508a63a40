import type { EntityRow } from '../../entity/store.ts'
import { toTime } from '../../entity/view.ts'
import type { Edge } from '../../graph/store.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import { toSlug } from '../../support/text/slug.ts'
import { toVisible } from '../../support/text/visible-text.ts'
import { toYaml } from '../../support/yaml/yaml-text.ts'
import { asTask } from '../../task/fields.ts'
import { markedId } from '../../task/import/backlog.ts'
import { Remarks } from '../../task/import/imported-task.ts'
import { PRIORITIES, type TaskStatus } from '../../task/task.ts'
import { decisionBody, docBody, taskBody, toBacklogTime } from './backlog-body.ts'
import {
  addLostRelations,
  addOmissions,
  authorOf,
  type ExportContent,
  formerId,
  OMITTED,
  toOwnName,
} from './content.ts'

const FOLDERS = { task: 'tasks', draft: 'drafts', decision: 'decisions', doc: 'docs' } as const
type Kind = keyof typeof FOLDERS

const STATUSES: Readonly<Record<TaskStatus, string>> = {
  todo: 'To Do',
  in_progress: 'In Progress',
  blocked: 'Blocked',
  done: 'Done',
  cancelled: 'Cancelled',
}

export interface BacklogFiles {
  /** The text of each file, by its path in the folder. */
  readonly files: ReadonlyMap<string, string>
  /** Statuses in use that Backlog.md knows only if its settings name them. */
  readonly statuses: readonly string[]
  readonly exported: readonly EntityRow[]
  readonly remarks: Remarks
}

/** The ids in a folder that is there already. */
export interface BacklogIds {
  /** By the id of the entity that an export has written under it. */
  readonly own: ReadonlyMap<string, string>
  readonly foreign: ReadonlySet<string>
}

/** Tasks, decisions and notes as the files of Backlog.md. */
export function toBacklog({ entities, relations }: ExportContent, ids: BacklogIds): BacklogFiles {
  const remarks = new Remarks()
  const exported = entities.filter((row) => kindOf(row) !== undefined)
  for (const row of entities) {
    if (kindOf(row) === undefined) remarks.add(`a ${row.type} has no place in Backlog.md`)
  }
  const names = toNames(exported, ids)
  const place = { ...toEdges(relations, names, remarks), names, remarks }
  const files = new Map<string, string>()
  for (const row of exported) {
    const id = names.get(row.id) ?? ''
    const folder = FOLDERS[kindOf(row) ?? 'doc']
    files.set(`${folder}/${id} - ${toSlug(row.title)}.md`, toFile(row, id, place))
  }
  const used = new Set(exported.filter(({ type }) => type === 'task').map(({ status }) => status))
  const statuses = (['todo', 'in_progress', 'blocked', 'done', 'cancelled'] as const)
    .filter((status) => used.has(status) && (status === 'blocked' || status === 'cancelled'))
    .map((status) => STATUSES[status])
  return { files, statuses, exported, remarks }
}

function kindOf(row: EntityRow): Kind | undefined {
  if (row.type === 'decision') return 'decision'
  if (row.type === 'note') return 'doc'
  if (row.type !== 'task') return undefined
  return row.status === 'blocked' && row.tags.includes('draft') ? 'draft' : 'task'
}

/** The id that it had there, or in an earlier export, its key if that has the form of one, else one that is free. */
function toNames(
  rows: readonly EntityRow[],
  { own, foreign }: BacklogIds,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const give = (row: EntityRow, name: string | undefined): boolean => {
    const id = name?.toLowerCase()
    if (id === undefined || !BACKLOG_ID.test(id) || names.has(row.id) || taken.has(id)) return false
    names.set(row.id, id)
    taken.add(id)
    return true
  }
  for (const row of rows) give(row, own.get(row.id) ?? formerId(row, 'backlog'))
  for (const row of rows) {
    const { key } = row.properties
    if (typeof key === 'string' && /^task-\d/i.test(key) && !foreign.has(key.toLowerCase())) {
      give(row, key)
    }
  }
  for (const id of foreign) taken.add(id)
  for (const row of rows.filter(({ id }) => !names.has(id))) {
    let number = row.number
    while (!give(row, `${kindOf(row) ?? 'doc'}-${number}`)) number += 1
  }
  return names
}

const BACKLOG_ID = /^[a-z]+-\d{1,9}(?:\.\d{1,9})*$/

interface Place {
  readonly names: ReadonlyMap<string, string>
  readonly dependencies: ReadonlyMap<string, readonly string[]>
  readonly parents: ReadonlyMap<string, string>
  readonly remarks: Remarks
}

/** Dependencies and one parent of each task; other relations have no place. */
function toEdges(
  relations: readonly Edge[],
  names: ReadonlyMap<string, string>,
  remarks: Remarks,
): Pick<Place, 'dependencies' | 'parents'> {
  const dependencies = new Map<string, string[]>()
  const parents = new Map<string, string>()
  const isTask = (id: string) => /^(?:task|draft)-/.test(names.get(id) ?? '')
  const isHeld = ({ sourceId, type, targetId }: Edge): boolean => {
    if (!isTask(sourceId) || !isTask(targetId)) return false
    if (type === 'blocks') {
      const known = dependencies.get(targetId) ?? []
      dependencies.set(targetId, [...known, names.get(sourceId) ?? ''])
      return true
    }
    if (type !== 'subtask_of' || parents.has(sourceId)) return false
    parents.set(sourceId, names.get(targetId) ?? '')
    return true
  }
  addLostRelations(relations, isHeld, { tool: 'Backlog.md', remarks })
  return { dependencies, parents }
}

function toFile(row: EntityRow, id: string, place: Place): string {
  const { matter, body } =
    row.type === 'task'
      ? toTask(row, id, place)
      : row.type === 'decision'
        ? toDecision(row, id, place.remarks)
        : toDoc(row, id, place.remarks)
  if (toVisible(body) !== body) place.remarks.add('hidden characters of a text were made visible')
  const filled = Object.entries(matter).filter(([, value]) => value !== undefined)
  const mark = row.type === 'decision' ? '' : `<!-- waymark:${row.id} -->\n\n`
  const text = `${mark}${toVisible(body)}`.trimEnd()
  const withOwn = (waymark: object): string =>
    `---\n${toYaml({ ...Object.fromEntries(filled), waymark })}---\n\n${text}\n`
  const own = toOwnName(row)
  return withOwn({ ...own, hash: sha256(withOwn(own)) })
}

/** The entity that an export has written to this file, and whether the file has not been edited since. */
export function exportedIn(file: string): { readonly entity?: string; readonly isOwn: boolean } {
  const text = file.replaceAll('\r\n', '\n')
  const [, hash = ''] = /^ {2}hash: (\w{64})$/m.exec(text) ?? []
  // Backlog.md drops fields that it does not know when it writes a file, but not the mark in the text.
  const entity = /^waymark:\n {2}id: ([\da-f-]{36})$/m.exec(text)?.[1] ?? markedId(text)
  const isOwn = hash === sha256(text.replace(`  hash: ${hash}\n`, ''))
  return { ...(entity !== undefined && { entity }), isOwn }
}

function toTask(row: EntityRow, id: string, { dependencies, parents, remarks }: Place) {
  const task = asTask(row)
  const isDraft = kindOf(row) === 'draft'
  addOmissions(row, ['task_type', 'defer_until', ...OMITTED], { tool: 'Backlog.md', remarks })
  if (task.status !== 'done' && task.close_reason !== undefined) {
    remarks.add('the reason of a cancelled task has no place in Backlog.md')
  }
  const author = authorOf(row)
  const updated = task.status === 'done' ? task.completed_at : undefined
  const matter = {
    id,
    title: row.title,
    status: isDraft ? 'Draft' : STATUSES[task.status],
    assignee: task.assignee === undefined ? [] : [`@${task.assignee}`],
    reporter: author === undefined ? undefined : `@${author}`,
    created_date: toBacklogTime(toTime(row.createdAt)),
    updated_date: toBacklogTime(updated ?? toTime(row.updatedAt)),
    labels: row.tags.filter((tag) => !isDraft || tag !== 'draft'),
    dependencies: dependencies.get(row.id) ?? [],
    parent_task_id: parents.get(row.id),
    priority: toPriority(task.priority, remarks),
    due_date: task.due_date,
  }
  return { matter, body: taskBody(row, remarks) }
}

/** `medium` is the normal one. */
function toPriority(priority: number, remarks: Remarks): string {
  const steps = [
    ['high', PRIORITIES.high],
    ['medium', PRIORITIES.normal],
    ['low', PRIORITIES.low],
  ] as const
  const [name, value] =
    steps.find(([, step]) => priority < step + (PRIORITIES.normal - PRIORITIES.high) / 2) ??
    steps[2]
  if (value !== priority) remarks.add('a priority between the three of Backlog.md was rounded')
  return name
}

function toDecision(row: EntityRow, id: string, remarks: Remarks) {
  const isRejected = row.status === 'deprecated' && row.tags.includes('rejected')
  if (row.tags.some((tag) => !isRejected || tag !== 'rejected')) {
    remarks.add('tags of a decision have no place in Backlog.md')
  }
  const matter = {
    id,
    title: row.title,
    date: toBacklogTime(toTime(row.createdAt)),
    status: isRejected ? 'rejected' : (row.status ?? 'proposed'),
  }
  return { matter, body: decisionBody(row, remarks) }
}

function toDoc(row: EntityRow, id: string, remarks: Remarks) {
  const { note_type: type } = row.properties
  const matter = {
    id,
    title: row.title,
    type: typeof type === 'string' ? type : 'other',
    created_date: toBacklogTime(toTime(row.createdAt)),
    updated_date: toBacklogTime(toTime(row.updatedAt)),
    tags: row.tags.length === 0 ? undefined : row.tags,
  }
  return { matter, body: docBody(row, remarks) }
}
