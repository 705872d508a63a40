import type { EntityRow } from '../store/entities.ts'
import type { RelationRow } from '../store/relations.ts'
import type { Replica } from '../store/replica.ts'
import type { FoundRow, ReplicatedEntity } from '../store/replica-rows.ts'
import type { EntityState } from './document-state.ts'
import { assignNumbers, type Contender, type Renumbered } from './numbers.ts'

/** What others will see differently after a merge. */
export interface EntityNews {
  readonly kind: 'created' | 'updated' | 'deleted'
  readonly before: EntityRow | undefined
  readonly row: EntityRow
}

export interface RelationNews {
  readonly kind: 'created' | 'deleted'
  readonly relation: RelationRow
}

export interface MergeNews {
  readonly entities: readonly EntityNews[]
  readonly relations: readonly RelationNews[]
  readonly renumbered: readonly Renumbered[]
}

interface MergeOptions {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Entities of which nothing at all was here. */
  readonly strangers?: ReadonlySet<string>
}

/**
 * Makes the rows say what the documents say. An edge is there when its source says so and both its ends are alive, so
 * it does not matter in which order the ends, the edge and a tombstone arrive.
 */
export async function materialise(
  replica: Replica,
  states: readonly EntityState[],
  options: MergeOptions,
): Promise<MergeNews> {
  const merge = new Merge(replica, options)
  for (const state of states) await merge.putEntity(state)
  const renumbered = await merge.settleNumbers()
  for (const state of states) await merge.putRelations(state)
  return { ...merge.news, renumbered }
}

class Merge {
  readonly #replica: Replica
  readonly #at: number
  readonly #strangers: ReadonlySet<string>
  readonly #entities: EntityNews[] = []
  readonly #relations: RelationNews[] = []
  readonly #contenders: Contender[] = []
  /** What those who get another number were called here before. */
  readonly #formerNumbers = new Map<string, number>()
  /** What was not here before has no edges that would have to go. */
  readonly #inserted = new Set<string>()

  constructor(replica: Replica, { at, strangers = new Set() }: MergeOptions) {
    this.#replica = replica
    this.#at = at
    this.#strangers = strangers
  }

  get news(): Omit<MergeNews, 'renumbered'> {
    return { entities: this.#entities, relations: this.#relations }
  }

  async putEntity(state: EntityState): Promise<void> {
    const { entity } = state
    const isStranger = this.#strangers.has(entity.id)
    const found = isStranger ? undefined : await this.#replica.rows.find(entity.id)
    const number = await this.#numberFor(entity, found)
    if (found === undefined) await this.#insert({ ...state, entity: { ...entity, number } })
    else {
      if (found.row.number !== number) {
        await this.#replica.rows.renumber(entity.id, number)
        if (state.deleted === undefined) this.#formerNumbers.set(entity.id, found.row.number)
      }
      await this.#update(state, { ...found, row: { ...found.row, number } })
    }
  }

  async settleNumbers(): Promise<readonly Renumbered[]> {
    const assigned = await assignNumbers(this.#replica, this.#contenders, this.#at)
    const settled = new Map(assigned.map((each) => [each.id, each]))
    for (const [id, from] of this.#formerNumbers) {
      const to = settled.get(id)?.to ?? (await this.#replica.rows.find(id))?.row.number
      if (to !== undefined && to !== from) settled.set(id, { id, from, to })
    }
    await this.#correctNews(new Set([...this.#contenders.map(({ id }) => id), ...settled.keys()]))
    return [...settled.values()]
  }

  async putRelations({ entity, deleted, relations }: EntityState): Promise<void> {
    const { rows } = this.#replica
    const isNew = this.#inserted.has(entity.id)
    if (!isNew) await this.#replica.forgetDanglingFrom(entity.id)
    if (deleted !== undefined) return
    const wanted = new Map(
      relations.map(({ type, targetId, created_at, created_by, properties }) => {
        const ends = { sourceId: entity.id, type, targetId }
        return [
          `${type} ${targetId}`,
          { ...ends, properties, createdAt: created_at, createdBy: created_by },
        ]
      }),
    )
    for (const relation of isNew ? [] : await rows.relations.of(entity.id, 'from')) {
      if (!wanted.has(nameOf(relation))) await this.#drop(relation)
    }
    for (const relation of wanted.values()) await this.#put(relation)
    if (this.#strangers.has(entity.id)) return
    // What pointed at it before it was here can now be drawn.
    const dangling = await this.#replica.danglingTo(entity.id)
    for (const relation of dangling) await this.#put(relation)
    if (dangling.length > 0) await this.#replica.forgetDanglingTo(entity.id)
  }

  /** What is told of these was noted while their numbers were not final. */
  async #correctNews(ids: ReadonlySet<string>): Promise<void> {
    for (const [at, news] of this.#entities.entries()) {
      const found = ids.has(news.row.id) ? await this.#replica.rows.find(news.row.id) : undefined
      if (found === undefined) continue
      const { number, revision } = found.row
      this.#entities[at] = { ...news, row: { ...news.row, number, revision } }
    }
  }

  async #insert({ entity, deleted }: EntityState): Promise<void> {
    const { rows } = this.#replica
    const row = await rows.insert(entity)
    this.#inserted.add(entity.id)
    // Deleted before it was ever here: the tombstone is kept, and nobody is told.
    if (deleted !== undefined) await rows.remove(entity.id, deleted)
    else this.#entities.push({ kind: 'created', before: undefined, row })
  }

  async #update({ entity, deleted }: EntityState, { row, ...before }: FoundRow): Promise<void> {
    const { rows } = this.#replica
    if (deleted !== undefined) {
      if (before.deleted === undefined) await this.#delete(row, deleted)
      else await rows.remove(row.id, deleted)
      return
    }
    if (before.deleted === undefined && isSame(row, entity)) return
    const kind = before.deleted === undefined ? 'updated' : 'created'
    this.#entities.push({ kind, before: row, row: await rows.update(entity) })
  }

  async #delete(row: EntityRow, deleted: { at: number; by: string | null }): Promise<void> {
    const { rows } = this.#replica
    for (const relation of await rows.relations.removeAllOf(row.id, deleted)) {
      this.#relations.push({ kind: 'deleted', relation })
      // Its source still says so, and would again be right should the entity be brought back.
      if (relation.targetId === row.id) await this.#replica.putDangling(relation)
    }
    await rows.remove(row.id, deleted)
    this.#entities.push({ kind: 'deleted', before: row, row: { ...row, updatedBy: deleted.by } })
  }

  async #put(relation: RelationRow): Promise<void> {
    const { rows } = this.#replica
    const current = await rows.relations.find(relation)
    if (current !== undefined && JSON.stringify(current) === JSON.stringify(relation)) return
    if (!(await this.#isAlive(relation.sourceId))) return
    if (!(await this.#isAlive(relation.targetId))) return this.#replica.putDangling(relation)
    // Two clones drew the same edge: it is one, and both agree on whose it is.
    if (current !== undefined) await rows.relations.remove(relation, { at: this.#at, by: null })
    await rows.relations.insert(relation)
    if (current === undefined) this.#relations.push({ kind: 'created', relation })
  }

  async #drop(relation: RelationRow): Promise<void> {
    await this.#replica.rows.relations.remove(relation, { at: this.#at, by: null })
    this.#relations.push({ kind: 'deleted', relation })
  }

  async #isAlive(id: string): Promise<boolean> {
    const found = await this.#replica.rows.find(id)
    return found !== undefined && found.deleted === undefined
  }

  /** The number it wants if nobody else has it; otherwise one that is only good until `settleNumbers`. */
  async #numberFor(entity: ReplicatedEntity, found: FoundRow | undefined): Promise<number> {
    const { id, number: wanted, createdAt } = entity
    if (found !== undefined && found.row.number === wanted) return wanted
    const holder = wanted === 0 ? undefined : await this.#replica.rows.holderOf(wanted)
    if (wanted !== 0 && holder === undefined) return wanted
    this.#contenders.push({ id, wanted, createdAt })
    return -this.#contenders.length
  }
}

/** The row says what the document says, number and edges aside. */
export function isSame(row: ReplicatedEntity, entity: ReplicatedEntity): boolean {
  return toText(row) === toText(entity)
}

function toText(entity: ReplicatedEntity): string {
  const { type, title, content, tags, status, properties, createdAt, createdBy } = entity
  const { updatedAt, updatedBy } = entity
  const rest = [type, title, content, tags, status, createdAt, createdBy, updatedAt, updatedBy]
  return JSON.stringify([...rest, sorted(properties), sorted(entity.origin ?? {})])
}

function sorted(fields: object): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function nameOf({ type, targetId }: RelationRow): string {
  return `${type} ${targetId}`
}
