import { violation } from '../../core/input/parse.ts'
import type { TaskStatus } from '../task.ts'
import {
  type ImportedTask,
  type ImportSource,
  isRecord,
  Remarks,
  text,
  texts,
  toIso,
} from './imported-task.ts'
import { lookUp } from '../../support/look-up.ts'

type Entry = Readonly<Record<string, unknown>>

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  todo: 'todo',
  ready: 'todo',
  blocked: 'blocked',
  done: 'done',
  verified: 'done',
  deleted: 'cancelled',
}

const DEFAULT_PRIORITY = 100

const READ: ReadonlySet<string> = new Set(
  `id title description acceptance_criteria depends_on labels locks priority status created_at
  updated_at completed_by completed_at verified_by verified_at prd`.split(/\s+/),
)

const PARTS: readonly string[] = ['tasks', 'features', 'project']

export const SPEC_PATH = '.lodestar/spec.yaml'

/** The tasks of a `.lodestar/spec.yaml`, already parsed. All of them need verification, as there. */
export function readSpec(spec: unknown): ImportSource {
  if (!isRecord(spec) || !isRecord(spec['tasks'] ?? {}) || !PARTS.some((part) => part in spec)) {
    throw violation('path', 'bad_format', 'must be a spec.yaml of Lodestar')
  }
  const remarks = new Remarks()
  const features = toFeatures(spec['features'])
  remarks.addUnread(spec, new Set(PARTS))
  const entries = Object.entries((spec['tasks'] ?? {}) as Entry)
  const tasks = entries.flatMap(([key, entry]) => {
    if (isRecord(entry)) return [toTask(key, entry, { features, remarks })]
    remarks.add(`task ${key} is not a mapping and was left out`)
    return []
  })
  return { tasks, remarks: remarks.list() }
}

/** Which features each task belongs to. */
function toFeatures(value: unknown): ReadonlyMap<string, readonly string[]> {
  const features = new Map<string, string[]>()
  for (const [feature, keys] of Object.entries(isRecord(value) ? value : {})) {
    for (const key of texts(keys)) features.set(key, [...(features.get(key) ?? []), feature])
  }
  return features
}

interface Surroundings {
  readonly features: ReadonlyMap<string, readonly string[]>
  readonly remarks: Remarks
}

function toTask(key: string, entry: Entry, { features, remarks }: Surroundings): ImportedTask {
  remarks.addUnread(entry, READ)
  const status = text(entry['status']) ?? 'todo'
  const known = lookUp(STATUSES, status)
  if (known === undefined) remarks.add(`status ${status} became todo`)
  const priority = entry['priority']
  const featureLabels = (features.get(key) ?? []).map((feature) => `feature:${feature}`)
  return {
    ref: `lodestar:${key}`,
    key,
    title: text(entry['title']) ?? key,
    content: text(entry['description']),
    labels: [...texts(entry['labels']), ...featureLabels],
    status: known ?? 'todo',
    priority: typeof priority === 'number' ? clamp(priority) : DEFAULT_PRIORITY,
    acceptance_criteria: texts(entry['acceptance_criteria']),
    locks: texts(entry['locks']),
    needs_verification: true,
    prd: toPrd(entry['prd']),
    created_at: toIso(entry['created_at']),
    completed_at: toIso(entry['completed_at']),
    completed_by: text(entry['completed_by']),
    verified_at: status === 'verified' ? toVerifiedAt(entry) : undefined,
    verified_by: text(entry['verified_by']),
    relations: texts(entry['depends_on']).map((dependency) => ({
      type: 'blocked_by',
      ref: `lodestar:${dependency}`,
    })),
  }
}

/** A task that is verified was so at some time, even if the file does not say when. */
function toVerifiedAt(entry: Entry): string {
  const times = [entry['verified_at'], entry['updated_at'], entry['created_at'], 0]
  return times.map(toIso).find((time) => time !== undefined) ?? new Date(0).toISOString()
}

/** Where the hash of the whole document is not what ours is, drift is judged from the next change on. */
function toPrd(value: unknown): unknown {
  if (!isRecord(value) || text(value['source']) === undefined) return undefined
  const refs = Array.isArray(value['refs']) ? value['refs'].filter(isRecord) : []
  return {
    source: text(value['source']),
    refs: refs.map((ref) => ({
      anchor: (text(ref['anchor']) ?? '').replace(/^#/, ''),
      ...(Array.isArray(ref['lines']) && { lines: ref['lines'] }),
    })),
    ...(text(value['excerpt']) !== undefined && { excerpt: text(value['excerpt']) }),
  }
}

function clamp(priority: number): number {
  return Math.min(1000, Math.max(0, Math.trunc(priority)))
}
