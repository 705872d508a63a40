import { type Arrival, joinArrivals, type Received } from '../arrival.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { RelationRow } from '../../relation/store.ts'
import type { Replica } from './store.ts'
import type { FoundRow, ReplicatedEntity } from './rows-store.ts'
import type { EntityState, TwiceChangedField } from '../document/document-state.ts'
import { type NumberRule, type Renumbered, settleNumbers } from './numbers/numbers.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Visible changes of a merge. */
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
  readonly changedTwice: readonly ChangedTwiceNews[]
}

/** A field that was changed on both sides, as is known only since this merge. */
export interface ChangedTwiceNews extends TwiceChangedField {
  readonly id: EntityId
}

interface MergeOptions {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Entities without any data in this clone before. */
  readonly unknownIds?: ReadonlySet<EntityId>
  /** How each entity arrived. Entities not listed are rebuilt from their own documents. */
  readonly received?: ReadonlyMap<EntityId, Received>
  /** How claims to the same number are settled; `later` when more is to come that may settle them. */
  readonly numbers?: NumberRule | 'later'
}

/**
 * Updates the rows from the documents. An edge exists if its source's document has it and both ends are alive, so the
 * arrival order of ends, edge and tombstone does not matter.
 */
export async function materialise(
  replica: Replica,
  states: readonly EntityState[],
  options: MergeOptions,
): Promise<MergeNews> {
  const merge = new Merge(replica, options)
  for (const state of states) await merge.putEntity(state)
  const { at, numbers = 'age' } = options
  const settled = numbers === 'later' ? [] : await settleNumbers(replica, { at, rule: numbers })
  await merge.correctNews(settled)
  for (const state of states) await merge.putRelations(state)
  return merge.news
}

class Merge {
  readonly #replica: Replica
  readonly #at: number
  readonly #unknownIds: ReadonlySet<EntityId>
  readonly #received: ReadonlyMap<EntityId, Received>
  readonly #entities: EntityNews[] = []
  readonly #relations: RelationNews[] = []
  readonly #renumbered: Renumbered[] = []
  readonly #changedTwice: ChangedTwiceNews[] = []
  /** New entities have no stale edges. */
  readonly #inserted = new Set<EntityId>()

  constructor(
    replica: Replica,
    { at, unknownIds = new Set(), received = new Map() }: MergeOptions,
  ) {
    this.#replica = replica
    this.#at = at
    this.#unknownIds = unknownIds
    this.#received = received
  }

  get news(): MergeNews {
    const [entities, relations] = [this.#entities, this.#relations]
    const [renumbered, changedTwice] = [this.#renumbered, this.#changedTwice]
    return { entities, relations, renumbered, changedTwice }
  }

  async putEntity(state: EntityState): Promise<void> {
    const { entity } = state
    const isUnknown = this.#unknownIds.has(entity.id)
    const found = isUnknown ? undefined : await this.#replica.rows.find(entity.id)
    const number = await this.#numberFor(entity, found)
    if (found === undefined) await this.#insert({ ...state, entity: { ...entity, number } })
    else {
      if (found.row.number !== number) {
        await this.#renumber(state, found.row.number, number)
      }
      await this.#update(state, { ...found, row: { ...found.row, number } })
    }
    await this.#putChangedTwice(state, isUnknown)
  }

  async #putChangedTwice({ entity, changedTwice }: EntityState, isUnknown: boolean): Promise<void> {
    const { id } = entity
    const known = isUnknown ? [] : await this.#replica.changedTwice.of(id)
    if (known.length + changedTwice.length === 0) return
    await this.#replica.changedTwice.set(id, changedTwice)
    for (const { field, isContradiction } of changedTwice) {
      const isNews = known.every((each) => each.field !== field)
      if (isNews) this.#changedTwice.push({ id, field, isContradiction })
    }
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
    if (this.#unknownIds.has(entity.id)) return
    // Dangling edges to it can be inserted now.
    const dangling = await this.#replica.danglingTo(entity.id)
    for (const relation of dangling) await this.#put(relation)
    if (dangling.length > 0) await this.#replica.forgetDanglingTo(entity.id)
  }

  /** What is told of these was noted while their numbers were not final. */
  async correctNews(settled: readonly Renumbered[]): Promise<void> {
    const ids = new Set([...this.#renumbered, ...settled].map(({ id }) => id))
    for (const [at, news] of this.#entities.entries()) {
      const found = ids.has(news.row.id) ? await this.#replica.rows.find(news.row.id) : undefined
      if (found === undefined) continue
      const { number, revision } = found.row
      this.#entities[at] = { ...news, row: { ...news.row, number, revision } }
    }
    // No event was emitted for new entities yet.
    for (const { until, ...each } of settled) {
      this.#renumbered.push({ ...each, until: this.#inserted.has(each.id) ? each.to : until })
    }
  }

  /** To a number that no other entity has. */
  async #renumber({ entity, deleted }: EntityState, until: number, to: number): Promise<void> {
    const { id } = entity
    const claim = await this.#replica.claims.take(id)
    await this.#replica.rows.renumber(id, to)
    if (deleted !== undefined) return
    const from = claim === undefined ? until : claim.former || to
    if (from !== to) await this.#replica.formerNumbers.add({ id, number: from, at: this.#at })
    this.#renumbered.push({ id, from, to, until })
  }

  async #insert({ entity, deleted }: EntityState): Promise<void> {
    const { rows } = this.#replica
    // The provenance of a lost row is unknown.
    const received = this.#received.get(entity.id) ?? { via: 'repair' as const }
    const row = await rows.insert(entity, { ...received, parts: ALL_PARTS })
    this.#inserted.add(entity.id)
    // Deleted before it reached this clone: keep the tombstone, emit no event.
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
    // If the type changed, remove it from the task index first, then insert it with the new type.
    if (kind === 'updated' && row.type !== entity.type) {
      await rows.remove(row.id, { at: entity.updatedAt, by: entity.updatedBy })
    }
    const updated = await rows.update(entity, this.#arrivalOf(entity, row))
    this.#entities.push({ kind, before: row, row: updated })
  }

  #arrivalOf(entity: ReplicatedEntity, before: EntityRow): Arrival | undefined {
    const received = this.#received.get(entity.id)
    if (received === undefined) return undefined
    const parts = ALL_PARTS.filter((part) => PART_TEXTS[part](before) !== PART_TEXTS[part](entity))
    return joinArrivals(before.arrival, { ...received, parts })
  }

  async #delete(row: EntityRow, deleted: { at: number; by: string | null }): Promise<void> {
    const { rows } = this.#replica
    for (const relation of await rows.relations.removeAllOf(row.id, deleted)) {
      this.#relations.push({ kind: 'deleted', relation })
      // Kept as dangling: the source's document still has it, and restoring the entity makes it valid again.
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
    // Two clones added the same edge: they must agree on its author.
    if (current !== undefined) await rows.relations.remove(relation, { at: this.#at, by: null })
    await rows.relations.insert(relation)
    if (current === undefined) this.#relations.push({ kind: 'created', relation })
  }

  async #drop(relation: RelationRow): Promise<void> {
    await this.#replica.rows.relations.remove(relation, { at: this.#at, by: null })
    this.#relations.push({ kind: 'deleted', relation })
  }

  async #isAlive(id: EntityId): Promise<boolean> {
    const found = await this.#replica.rows.find(id)
    return found !== undefined && found.deleted === undefined
  }

  /** The number it says if no other entity has it; otherwise the one it had, or a new one, until claims are settled. */
  async #numberFor(entity: ReplicatedEntity, found: FoundRow | undefined): Promise<number> {
    const { id, number: wanted } = entity
    const { claims, rows } = this.#replica
    const current = found?.row.number ?? 0
    if (found !== undefined && current === wanted) {
      await claims.take(id)
      return wanted
    }
    if (wanted > 0 && (await rows.holderOf(wanted)) === undefined) return wanted
    await claims.put({ id, wanted, former: current })
    return current === 0 ? await rows.nextNumber() : current
  }
}

const ALL_PARTS: Arrival['parts'] = ['author', 'title', 'content']

const PART_TEXTS: Readonly<
  Record<Arrival['parts'][number], (entity: ReplicatedEntity) => string | null>
> = {
  author: ({ type, createdAt, createdBy, origin }) =>
    JSON.stringify([type, createdAt, createdBy, sorted(origin ?? {})]),
  title: ({ title }) => title,
  content: ({ content }) => content,
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
