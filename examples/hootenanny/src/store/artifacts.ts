import { randomUUID } from 'node:crypto'
import { StudioError } from '../error.ts'
import type { Database } from './database.ts'

/** A content with its creator and provenance. */
export interface Artifact {
  readonly id: string
  readonly hash: string
  readonly parent_id: string | null
  /** What belongs together is a set, numbered from 0 in the order in which it was made. */
  readonly variation_set_id: string | null
  readonly variation_index: number | null
  readonly tags: readonly string[]
  readonly creator: string
  readonly created_at: number
  readonly data: unknown
}

export interface NewArtifact {
  readonly hash: string
  readonly parentId?: string | undefined
  readonly variationSetId?: string | undefined
  readonly tags: readonly string[]
  readonly creator: string
  readonly data: object
}

export interface ArtifactSummary {
  readonly total: number
  readonly by_type: Readonly<Record<string, number>>
  readonly by_phase: Readonly<Record<string, number>>
  readonly by_tool: Readonly<Record<string, number>>
  readonly variation_sets: number
}

const RECENT = 10
const COLUMNS = `id, hash, parent_id, variation_set_id, variation_index, creator, created_at, data,
  (SELECT json_group_array(tag ORDER BY tag) FROM artifact_tag WHERE artifact_id = artifact.id) AS tags`

type ArtifactRow = Artifact & { readonly tags: string; readonly data: string }

/** Everything that was made, and from what. */
export class Artifacts {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** Writes an artifact down; call it within a transaction. */
  add(artifact: NewArtifact): Artifact {
    const { hash, parentId, variationSetId, tags, creator, data } = artifact
    // Not made from the hash: the same content made twice is two artifacts with histories of their own.
    const id = `artifact_${randomUUID().replaceAll('-', '').slice(0, 12)}`
    if (parentId !== undefined) this.get(parentId)
    this.#database.run(
      `INSERT INTO artifact
         (id, hash, parent_id, variation_set_id, variation_index, creator, created_at, data)
         VALUES (?1, ?2, ?3, ?4,
           CASE WHEN ?4 IS NOT NULL THEN
             (SELECT coalesce(max(variation_index) + 1, 0) FROM artifact WHERE variation_set_id = ?4)
           END, ?5, ?6, ?7)`,
      id,
      hash,
      parentId ?? null,
      variationSetId ?? null,
      creator,
      this.#now(),
      JSON.stringify(data),
    )
    for (const tag of new Set(tags))
      this.#database.run('INSERT INTO artifact_tag (artifact_id, tag) VALUES (?, ?)', id, tag)
    return this.get(id)
  }

  /** One artifact; there must be one. */
  get(id: string): Artifact {
    const [artifact] = this.#select('WHERE id = ?', id)
    if (artifact === undefined)
      throw new StudioError(`there is no artifact ${id}; artifacts://recent lists the latest`)
    return artifact
  }

  /** The latest artifact with a content. */
  ofContent(hash: string): Artifact | undefined {
    return this.#select('WHERE hash = ? ORDER BY number DESC LIMIT 1', hash)[0]
  }

  recent(): Artifact[] {
    return this.#select('ORDER BY number DESC LIMIT ?', RECENT)
  }

  byTag(tag: string): Artifact[] {
    return this.#select(
      'WHERE id IN (SELECT artifact_id FROM artifact_tag WHERE tag = ?) ORDER BY number DESC',
      tag,
    )
  }

  byCreator(creator: string): Artifact[] {
    return this.#select('WHERE creator = ? ORDER BY number DESC', creator)
  }

  /** An artifact and all that it was made from, the oldest first. */
  lineage(id: string): Artifact[] {
    const chain: Artifact[] = []
    // A parent is there before its child and never changes, so the way up ends.
    for (let next: string | null = id; next !== null; next = chain.at(-1)?.parent_id ?? null)
      chain.push(this.get(next))
    return chain.toReversed()
  }

  summary(): ArtifactSummary {
    const counts = this.#database.get<{ total: number; variation_sets: number }>(
      'SELECT count(*) AS total, count(DISTINCT variation_set_id) AS variation_sets FROM artifact',
    )
    return {
      total: counts?.total ?? 0,
      by_type: this.#countTags('type:'),
      by_phase: this.#countTags('phase:'),
      by_tool: this.#countTags('tool:'),
      variation_sets: counts?.variation_sets ?? 0,
    }
  }

  /** Every artifact, the newest first, for completion. */
  ids(): string[] {
    return this.#database
      .all<{ id: string }>('SELECT id FROM artifact ORDER BY number DESC')
      .map(({ id }) => id)
  }

  /** Every tag, for completion. */
  tags(): string[] {
    return this.#database
      .all<{ tag: string }>('SELECT DISTINCT tag FROM artifact_tag ORDER BY tag')
      .map(({ tag }) => tag)
  }

  /** All creators, for completion. */
  creators(): string[] {
    return this.#database
      .all<{ creator: string }>('SELECT DISTINCT creator FROM artifact ORDER BY creator')
      .map(({ creator }) => creator)
  }

  #countTags(prefix: string): Record<string, number> {
    const rows = this.#database.all<{ name: string; count: number }>(
      `SELECT substr(tag, length(?1) + 1) AS name, count(*) AS count
         FROM artifact_tag WHERE substr(tag, 1, length(?1)) = ?1 GROUP BY tag ORDER BY tag`,
      prefix,
    )
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  }

  #select(condition: string, ...values: (string | number)[]): Artifact[] {
    return this.#database
      .all<ArtifactRow>(`SELECT ${COLUMNS} FROM artifact ${condition}`, ...values)
      .map((row) => ({
        ...row,
        tags: JSON.parse(row.tags) as string[],
        data: JSON.parse(row.data) as unknown,
      }))
  }
}
