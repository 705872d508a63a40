import type { TaskProperties } from '../fields.ts'

/** A task as a specification file writes it down. Fields without a value are left out. */
export interface SpecTask {
  readonly title: string
  readonly description?: string
  readonly acceptance_criteria?: readonly string[]
  readonly depends_on?: readonly string[]
  readonly labels?: readonly string[]
  readonly locks?: readonly string[]
  readonly priority: number
  readonly status: 'ready' | 'blocked' | 'done' | 'verified' | 'deleted'
  readonly created_at: string
  readonly updated_at: string
  readonly completed_by?: string
  readonly completed_at?: string
  readonly verified_by?: string
  readonly verified_at?: string
  readonly prd?: object
}

export interface Spec {
  readonly project: { readonly name: string; readonly default_branch: string; conventions: object }
  readonly tasks: Readonly<Record<string, SpecTask>>
  readonly features: Readonly<Record<string, readonly string[]>>
}

/** What is known of a task that goes into a specification. */
export interface SpecSource {
  readonly title: string
  readonly content: string | null
  readonly labels: readonly string[]
  readonly properties: TaskProperties
  readonly dependsOn: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

const FEATURE = 'feature:'

export function toSpecTask(source: SpecSource): SpecTask {
  const { properties: task } = source
  const labels = source.labels.filter((label) => !label.startsWith(FEATURE))
  return {
    title: source.title,
    ...(source.content !== null && { description: source.content }),
    ...list('acceptance_criteria', task.acceptance_criteria),
    ...list('depends_on', source.dependsOn),
    ...list('labels', labels),
    ...list('locks', task.locks),
    priority: task.priority,
    status: toSpecStatus(task),
    created_at: source.createdAt,
    updated_at: source.updatedAt,
    ...(task.completed_by !== undefined && { completed_by: task.completed_by }),
    ...(task.completed_at !== undefined && { completed_at: task.completed_at }),
    ...(task.verified_by !== undefined && { verified_by: task.verified_by }),
    ...(task.verified_at !== undefined && { verified_at: task.verified_at }),
    ...(task.prd !== undefined && { prd: toSpecPrd(task.prd) }),
  }
}

/** The features that labels speak of, with their tasks. */
export function toFeatures(
  labelsByKey: ReadonlyMap<string, readonly string[]>,
): Record<string, string[]> {
  const features = new Map<string, string[]>()
  for (const [key, labels] of labelsByKey) {
    for (const label of labels.filter((label) => label.startsWith(FEATURE))) {
      const feature = label.slice(FEATURE.length)
      features.set(feature, [...(features.get(feature) ?? []), key])
    }
  }
  return Object.fromEntries(features)
}

function toSpecStatus(task: TaskProperties): SpecTask['status'] {
  switch (task.status) {
    case 'todo':
    case 'in_progress':
      return 'ready'
    case 'blocked':
      return 'blocked'
    case 'cancelled':
      return 'deleted'
    case 'done':
      return task.verified_at !== undefined || !task.needs_verification ? 'verified' : 'done'
  }
}

function toSpecPrd({ source, refs, excerpt, hash }: NonNullable<TaskProperties['prd']>): object {
  return {
    source,
    refs: refs.map(({ anchor, lines }) => ({ anchor, ...(lines !== undefined && { lines }) })),
    ...(excerpt !== undefined && { excerpt }),
    ...(hash !== undefined && { prd_hash: hash }),
  }
}

function list(name: string, values: readonly string[] | undefined): object {
  return values === undefined || values.length === 0 ? {} : { [name]: values }
}
