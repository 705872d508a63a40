import type { ImportedTask } from '../import/imported-task.ts'
import { asTask } from '../fields.ts'
import { hashText } from './prd.ts'
import type { SpecTask } from './lodestar-spec.ts'
import type { RenderedTask } from './render-spec.ts'
import type { YamlEdit } from '../../support/yaml/parse-yaml.ts'

/** What of a task is compared; times and provenance follow the status. */
export interface Compared {
  readonly title: string
  readonly description: string
  readonly acceptance_criteria: readonly string[]
  readonly depends_on: readonly string[]
  readonly labels: readonly string[]
  readonly locks: readonly string[]
  readonly priority: number
  readonly status: SpecTask['status']
}
type Field = keyof Compared

const FIELDS: readonly Field[] = [
  'title',
  'description',
  'acceptance_criteria',
  'depends_on',
  'labels',
  'locks',
  'priority',
  'status',
]

/** A task of the file that is new, or that was edited by hand since it was last compared. */
export interface Arriving {
  readonly task: ImportedTask
  readonly known?: string
  /** Tasks that it no longer waits for. */
  readonly freedFrom: readonly string[]
}

export interface SpecPlan {
  readonly arriving: readonly Arriving[]
  /** What to change in the file. */
  readonly edits: readonly YamlEdit[]
}

export interface SpecSides {
  /** The tasks of the file as they are now. */
  readonly file: readonly ImportedTask[]
  /** As they were when both sides were last the same. */
  readonly base: Readonly<Record<string, Compared>>
  readonly ours: ReadonlyMap<string, RenderedTask>
}

/**
 * Merges field by field: a field that was edited in the file wins, every other one is ours. A task that is only ours is
 * added to the file, unless it was in there once: then it was removed by hand.
 */
export function planSpec({ file, base, ours }: SpecSides): SpecPlan {
  const arriving: Arriving[] = []
  const edits: YamlEdit[] = []
  const names = new Set([...file.map(({ key }) => key), ...ours.keys()])
  for (const task of file) {
    const known = ours.get(task.key)
    if (known === undefined) {
      arriving.push({ task, freedFrom: [] })
      continue
    }
    const theirs = toCompared(task, names)
    const mine = compareOurs(known.task)
    const before = base[task.key] ?? (isUntouched(task, known) ? theirs : mine)
    const differing = FIELDS.filter((field) => !isSame(theirs[field], mine[field]))
    const kept = differing.filter((field) => isSame(theirs[field], before[field]))
    if (kept.length < differing.length) {
      const waitsFor = new Set(kept.includes('depends_on') ? mine.depends_on : theirs.depends_on)
      arriving.push({
        task: withOurs(task, known, kept),
        known: known.row.id,
        freedFrom: mine.depends_on.filter((name) => !waitsFor.has(name)),
      })
    }
    edits.push(...toEdits(task.key, known.task, kept))
  }
  const inFile = new Set(file.map(({ key }) => key))
  for (const [name, { row, task }] of ours) {
    const wasInFile = name in base || asTask(row).external_ref?.startsWith('lodestar:') === true
    if (inFile.has(name) || wasInFile || task.status === 'deleted') continue
    edits.push({ path: ['tasks', name], value: task })
  }
  return { arriving, edits }
}

/** What the file says of each task, to compare with later. A task that could not be taken over keeps its earlier base. */
export function toBase(
  file: readonly ImportedTask[],
  { base, ours, leftOut }: Omit<SpecSides, 'file'> & { readonly leftOut: ReadonlySet<string> },
): Readonly<Record<string, Compared>> {
  const names = new Set([...file.map(({ key }) => key), ...ours.keys()])
  return Object.fromEntries(
    file.flatMap((task) => {
      const kept = leftOut.has(task.key) ? base[task.key] : toCompared(task, names)
      return kept === undefined ? [] : [[task.key, kept]]
    }),
  )
}

function isUntouched(task: ImportedTask, { row }: RenderedTask): boolean {
  return row.properties['external_hash'] === hashText(JSON.stringify(task))
}

/** Dependencies on tasks that do not exist can be neither taken over nor removed. */
function toCompared(task: ImportedTask, names: ReadonlySet<string>): Compared {
  const { title, content = '', labels, acceptance_criteria = [], locks = [], priority = 100 } = task
  return {
    title,
    description: content,
    acceptance_criteria,
    depends_on: task.relations
      .map(({ ref }) => ref.slice('lodestar:'.length))
      .filter((name) => names.has(name)),
    labels: labels.filter((label) => !label.startsWith('feature:')),
    locks,
    priority,
    status: toStatus(task),
  }
}

function toStatus({ status, verified_at }: ImportedTask): Compared['status'] {
  switch (status) {
    case 'done':
      return verified_at === undefined ? 'done' : 'verified'
    case 'cancelled':
      return 'deleted'
    case 'blocked':
      return 'blocked'
    case 'todo':
    case 'in_progress':
      return 'ready'
  }
}

function compareOurs(task: SpecTask): Compared {
  const { title, description = '', priority, status } = task
  const { acceptance_criteria = [], depends_on = [], labels = [], locks = [] } = task
  return { title, description, acceptance_criteria, depends_on, labels, locks, priority, status }
}

/** The order of a list says nothing. */
function isSame(one: Compared[Field], other: Compared[Field]): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
}

/** The task of the file with our values of these fields. */
function withOurs(
  task: ImportedTask,
  { row, task: mine }: RenderedTask,
  kept: readonly Field[],
): ImportedTask {
  const own = asTask(row)
  const features = task.labels.filter((label) => label.startsWith('feature:'))
  const values: Readonly<Record<Field, Partial<ImportedTask>>> = {
    title: { title: mine.title },
    description: { content: mine.description },
    acceptance_criteria: { acceptance_criteria: mine.acceptance_criteria ?? [] },
    depends_on: {
      relations: (mine.depends_on ?? []).map((name) => ({
        type: 'blocked_by',
        ref: `lodestar:${name}`,
      })),
    },
    labels: { labels: [...(mine.labels ?? []), ...features] },
    locks: { locks: mine.locks ?? [] },
    priority: { priority: mine.priority },
    status: {
      status: own.status,
      completed_at: own.completed_at,
      completed_by: own.completed_by,
      verified_at: own.verified_at,
      verified_by: own.verified_by,
    },
  }
  const merged = kept.reduce((all, field) => ({ ...all, ...values[field] }), task)
  return { ...merged, prd: task.prd ?? own.prd }
}

const STAMPS = ['completed_by', 'completed_at', 'verified_by', 'verified_at'] as const

function toEdits(name: string, task: SpecTask, fields: readonly Field[]): readonly YamlEdit[] {
  if (fields.length === 0) return []
  const stamps = fields.includes('status') ? STAMPS : []
  return [...fields, 'updated_at' as const, ...stamps].map((field) => ({
    path: ['tasks', name, field],
    ...(task[field] !== undefined && { value: task[field] }),
  }))
}
