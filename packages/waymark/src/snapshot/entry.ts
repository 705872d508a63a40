import type { EntityId } from '../entity/entity-id.ts'

/** An entity as a snapshot needs it. */
export interface SnapshotEntity {
  readonly id: string
  readonly number: number
  readonly type: string
  readonly title: string
  readonly content: string | null
  readonly tags: readonly string[]
  readonly status: string | null
  readonly properties: Readonly<Record<string, unknown>>
  readonly createdAt: number
  readonly updatedAt: number
  readonly createdBy: string | null
}

export interface SnapshotRelation {
  readonly sourceId: EntityId
  readonly type: string
  readonly targetId: EntityId
}

/** A relation as it is seen from one of its ends. */
export interface SnapshotLink {
  readonly type: string
  readonly direction: 'from' | 'to'
  readonly other: SnapshotEntity
}

/** The folder of each type that has a file for each entity. */
export const ENTITY_FOLDERS = {
  decision: 'decisions',
  note: 'notes',
  prompt: 'prompts',
  component: 'components',
  link: 'links',
} as const

/** Where snapshots are written by default. */
export const SNAPSHOT_FOLDER = '.waymark/snapshot'

export const SNAPSHOT_FOLDERS: readonly string[] = [...Object.values(ENTITY_FOLDERS), 'tasks']

export function textOf(entity: SnapshotEntity, property: string): string | undefined {
  const value = entity.properties[property]
  return typeof value === 'string' ? value : undefined
}

export function textsOf(entity: SnapshotEntity, property: string): readonly string[] {
  const value = entity.properties[property]
  return Array.isArray(value) ? value.map(String) : []
}
