import { violation } from '../../core/input/parse.ts'
import { PRIORITIES, type TaskStatus } from '../task.ts'
import {
  type ImportedRelation,
  type ImportedTask,
  type ImportSource,
  isRecord,
  Remarks,
  text,
  toSections,
} from './imported-task.ts'
import { lookUp } from '../../support/look-up.ts'

type Item = Readonly<Record<string, unknown>>

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  pending: 'todo',
  deferred: 'todo',
  'in-progress': 'in_progress',
  review: 'in_progress',
  blocked: 'blocked',
  done: 'done',
  completed: 'done',
  cancelled: 'cancelled',
}

const LABELLED: ReadonlySet<string> = new Set(['deferred', 'review'])

const PRIORITY_NUMBERS: Readonly<Record<string, number>> = {
  critical: PRIORITIES.urgent,
  high: PRIORITIES.high,
  medium: PRIORITIES.normal,
  low: PRIORITIES.low,
}

const READ: ReadonlySet<string> = new Set(
  'id title description details testStrategy status priority dependencies subtasks'.split(' '),
)

/** The tasks of a `tasks.json`, with or without tags; what was in a tag gets it as a label. */
export function readTaskMaster(json: string): ImportSource {
  const remarks = new Remarks()
  const tasks = listsOf(json).flatMap(([tag, items]) =>
    items.flatMap((item) => toTasks(item, { tag, remarks })),
  )
  return { tasks, remarks: remarks.list() }
}

function listsOf(json: string): (readonly [string, readonly Item[]])[] {
  const file = parse(json)
  const lists = Array.isArray(file['tasks']) ? [['master', file] as const] : Object.entries(file)
  return lists.flatMap(([tag, list]) => {
    if (!isRecord(list) || !Array.isArray(list['tasks'])) return []
    return [[tag, list['tasks'].filter(isRecord)] as const]
  })
}

function parse(json: string): Item {
  try {
    const file: unknown = JSON.parse(json)
    if (isRecord(file)) return file
  } catch {
    // said below
  }
  throw violation('path', 'bad_format', 'must be a tasks.json of Task Master')
}

interface Place {
  readonly tag: string
  readonly remarks: Remarks
}

function toTasks(item: Item, place: Place): ImportedTask[] {
  const id = text(item['id'])
  if (id === undefined) {
    place.remarks.add('a task without an id was left out')
    return []
  }
  const task = toTask(item, id, { ...place, siblings: '' })
  const parts = Array.isArray(item['subtasks']) ? item['subtasks'].filter(isRecord) : []
  const subtasks = parts.map((part, at) => {
    const own = `${id}.${text(part['id']) ?? at + 1}`
    const subtask = toTask(part, own, { ...place, siblings: `${id}.` })
    const whole = { type: 'subtask_of', ref: toRef(place.tag, id) }
    return { ...subtask, relations: [...subtask.relations, whole] }
  })
  return [task, ...subtasks]
}

function toTask(
  item: Item,
  id: string,
  { tag, remarks, siblings }: Place & { readonly siblings: string },
): ImportedTask {
  remarks.addUnread(item, READ)
  const status = text(item['status']) ?? 'pending'
  const known = lookUp(STATUSES, status)
  if (known === undefined) remarks.add(`status ${status} became todo, with a label`)
  const isLabelled = known === undefined || LABELLED.has(status)
  return {
    ref: toRef(tag, id),
    key: tag === 'master' ? `TM-${id}` : `TM-${tag}-${id}`,
    title: text(item['title']) ?? `Task ${id}`,
    content: toSections(text(item['description']), {
      Details: text(item['details']),
      'Test strategy': text(item['testStrategy']),
    }),
    labels: [...(tag === 'master' ? [] : [tag]), ...(isLabelled ? [status] : [])],
    status: known ?? 'todo',
    priority: lookUp(PRIORITY_NUMBERS, text(item['priority']) ?? ''),
    relations: toRelations(item['dependencies'], tag, siblings),
  }
}

/** A bare number inside a subtask means the subtask beside it. */
function toRelations(value: unknown, tag: string, siblings: string): ImportedRelation[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((dependency) => {
    const id = text(dependency)
    if (id === undefined) return []
    const isSibling = siblings !== '' && !id.includes('.') && typeof dependency === 'number'
    return [{ type: 'blocked_by', ref: toRef(tag, isSibling ? siblings + id : id) }]
  })
}

function toRef(tag: string, id: string): string {
  return `task-master:${tag}/${id}`
}
