import type { ImportedTask } from '../import/imported-task.ts'
import { asTask } from '../fields.ts'
import { hashText } from './prd.ts'
import type { SpecTask } from './lodestar-spec.ts'
import type { RenderedTask } from './render-spec.ts'
import type { YamlEdit } from '../../support/yaml/parse-yaml.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** What of a task is compared; times and provenance follow the status. */
interface Compared {
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

/** What the file said of a task when it was last read or written. */
export interface Base extends Compared {
  /** `updated_at` of the task there. */
  readonly version?: string | undefined
  /** What we have replaced there, latest first: a file with an earlier version and this value is no edit. */
  readonly replaced?: Partial<Readonly<Record<Field, readonly Compared[Field][]>>>
  /** About to be added to the file. */
  readonly isPending?: true | undefined
}

export type Bases = ReadonlyMap<string, Base>

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
  readonly known?: EntityId
  /** Tasks that it no longer waits for. */
  readonly freedFrom: readonly string[]
}

export interface SpecPlan {
  readonly arriving: readonly Arriving[]
  /** What to change in the file. */
  readonly edits: readonly YamlEdit[]
  /** Dependencies that stay in the file alone, as they would close a cycle. */
  readonly cycles: readonly string[]
}

/** The tasks of the file as they are now. */
export interface SpecTasks {
  readonly tasks: readonly ImportedTask[]
  /** `updated_at` of each. */
  readonly versions: ReadonlyMap<string, string>
}

export interface SpecSides {
  readonly file: SpecTasks
  /** As they were when both sides were last the same. */
  readonly base: Bases
  readonly ours: ReadonlyMap<string, RenderedTask>
}

/**
 * Merges field by field: a field that was edited in the file wins, every other one is ours. A task that is only ours is
 * added to the file, unless it was in there once: then it was removed by hand.
 */
export function planSpec({ file, base, ours }: SpecSides): SpecPlan {
  const arriving: Arriving[] = []
  const edits: YamlEdit[] = []
  const cycles: string[] = []
  const inFile = new Set(file.tasks.map(({ key }) => key))
  const judge = toJudge(file, ours)
  for (const task of file.tasks) {
    const known = ours.get(task.key)
    if (known === undefined) {
      arriving.push({ task, freedFrom: [] })
      continue
    }
    const theirs = toCompared(task, judge)
    const mine = compareOurs(known.task)
    const before: Base = base.get(task.key) ?? (isUntouched(task, known) ? theirs : mine)
    const isEarlier = isEarlierThan(before, file.versions.get(task.key))
    const differing = FIELDS.filter((field) => !isSame(theirs[field], mine[field]))
    const kept = differing.filter((field) => {
      const replaced = isEarlier ? (before.replaced?.[field] ?? []) : []
      return [before[field], ...replaced].some((value) => isSame(theirs[field], value))
    })
    if (kept.length < differing.length) {
      const waitsFor = new Set(kept.includes('depends_on') ? mine.depends_on : theirs.depends_on)
      arriving.push({
        task: withOurs(task, known, kept),
        known: known.row.id,
        freedFrom: mine.depends_on.filter((name) => !waitsFor.has(name)),
      })
    }
    const stuck = task.relations.map(toName).filter((name) => judge(task, name) !== 'possible')
    const own = [...(known.task.depends_on ?? []), ...stuck]
    edits.push(
      ...toEdits(
        task.key,
        stuck.length === 0 ? known.task : { ...known.task, depends_on: own },
        kept,
      ),
    )
    for (const name of stuck.filter((name) => judge(task, name) === 'cyclic'))
      cycles.push(`${task.key} depends_on ${name} was left out: ${name} waits for ${task.key}`)
  }
  for (const [name, { row, task }] of ours) {
    const { isPending } = base.get(name) ?? { isPending: true }
    const wasInFile =
      isPending !== true || asTask(row).external_ref?.startsWith('lodestar:') === true
    if (inFile.has(name) || wasInFile || task.status === 'deleted') continue
    edits.push({ path: ['tasks', name], value: task })
  }
  return { arriving, edits, cycles }
}

/** A dependency that is not possible can be neither taken over nor removed. */
type Judge = (task: ImportedTask, name: string) => 'possible' | 'unknown' | 'cyclic'

function toJudge(file: SpecTasks, ours: SpecSides['ours']): Judge {
  const names = new Set([...file.tasks.map(({ key }) => key), ...ours.keys()])
  const waitsFor = (name: string, wanted: string): boolean => {
    const found = new Set([name])
    for (const one of found)
      for (const next of ours.get(one)?.task.depends_on ?? []) found.add(next)
    return found.has(wanted)
  }
  return ({ key }, name) => {
    if (!names.has(name)) return 'unknown'
    const isOurs = ours.get(key)?.task.depends_on?.includes(name) === true
    return isOurs || !waitsFor(name, key) ? 'possible' : 'cyclic'
  }
}

/** What the file says of each task, to compare with later. A task that could not be taken over keeps its earlier base. */
export function toBase(
  file: SpecTasks,
  { base, ours, leftOut }: Omit<SpecSides, 'file'> & { readonly leftOut: ReadonlySet<string> },
): Bases {
  const judge = toJudge(file, ours)
  return new Map(
    file.tasks.flatMap((task): [string, Base][] => {
      const { key } = task
      const before = base.get(key)
      if (leftOut.has(key)) return before === undefined ? [] : [[key, before]]
      const found = file.versions.get(key)
      const version = isEarlierThan(before, found) ? before?.version : found
      const { replaced } = before ?? {}
      return [[key, { ...toCompared(task, judge), version, ...(replaced && { replaced }) }]]
    }),
  )
}

/** What the file will say, with what that replaces. */
export function toNextBase(now: Bases, next: Bases, { versions }: SpecTasks): Bases {
  return new Map(
    [...next].map(([key, base]) => {
      const before = now.get(key)
      if (before === undefined) return [key, { ...base, isPending: true }]
      const fields = FIELDS.filter((field) => !isSame(before[field], base[field]))
      if (fields.length === 0) return [key, base]
      const news = fields.map((field) => [
        field,
        [before[field], ...(before.replaced?.[field] ?? [])].slice(0, REPLACED_KEPT),
      ])
      const replaced = { ...before.replaced, ...Object.fromEntries(news) }
      return [key, { ...base, version: versions.get(key), replaced }]
    }),
  )
}

/** After the file was written. */
export function toSettled(bases: Bases): Bases {
  return new Map([...bases].map(([key, base]) => [key, { ...base, isPending: undefined }]))
}

/** As many as there are statuses. */
const REPLACED_KEPT = 5

/** Whether the file has a version of the task from before the one that we know: its editor did not see ours. */
function isEarlierThan(base: Base | undefined, version: string | undefined): boolean {
  if (base?.version === undefined) return false
  return version === undefined || version < base.version
}

function isUntouched(task: ImportedTask, { row }: RenderedTask): boolean {
  return row.properties['external_hash'] === hashText(JSON.stringify(task))
}

function toName({ ref }: ImportedTask['relations'][number]): string {
  return ref.slice('lodestar:'.length)
}

function toCompared(task: ImportedTask, judge: Judge): Compared {
  const { title, content = '', labels, acceptance_criteria = [], locks = [], priority = 100 } = task
  return {
    title,
    description: content,
    acceptance_criteria,
    depends_on: task.relations.map(toName).filter((name) => judge(task, name) === 'possible'),
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
