import type { Context } from '../context.ts'
import type { Progress } from '../progress.ts'
import { EntityDocument } from '../replica/document.ts'
import { type EntityState, toEntityState } from '../replica/document-state.ts'
import { type LogLine } from '../replica/log-line.ts'
import { readLog } from '../replica/log-ref.ts'
import { readSegment } from '../replica/log-tree.ts'
import type { LoroModule } from '../replica/loro.ts'
import { isSame, materialise } from '../replica/materialise.ts'
import { openDocument } from '../replica/merge-document.ts'
import { toCreation, toRelationName, toRelationValue } from '../store/ops.ts'
import type { ReplicaReader } from '../store/replica.ts'
import type { FoundRow } from '../store/replica-rows.ts'
import { type Change, change } from './change.ts'
import { once } from './merge.ts'

const AT_ONCE = 200

/** An entity whose row and document do not agree; without a state the document cannot be read. */
interface BrokenEntity {
  readonly id: string
  readonly state: EntityState | undefined
}

interface Damage {
  readonly broken: readonly BrokenEntity[]
  /** Entities that cannot be found, or can be though they are not there. */
  readonly unindexed: readonly string[]
}

export async function findBroken(
  { store, signal }: Context,
  loro: LoroModule,
  progress: Progress,
): Promise<readonly BrokenEntity[]> {
  const advance = progress.phase('checking entities', await store.replica.countEntities())
  let done = 0
  const broken: BrokenEntity[] = []
  const purged = new Set(await store.replica.purged())
  for (let last = ''; ;) {
    const page = await store.replica.entities(last, AT_ONCE)
    if (page.length === 0) return broken
    signal.throwIfAborted()
    for (const found of page.filter(({ row }) => !purged.has(row.id))) {
      const state = await readState(store.replica, loro, found.row.id)
      if (!isSound(found, state)) broken.push({ id: found.row.id, state })
    }
    advance((done += page.length))
    last = page.at(-1)?.row.id ?? last
  }
}

async function readState(
  replica: ReplicaReader,
  loro: LoroModule,
  id: string,
): Promise<EntityState | undefined> {
  try {
    using document = openDocument(loro, id, await replica.document(id), await replica.ops(id))
    return toEntityState(id, document.read())
  } catch {
    // A document that the library refuses is as good as none.
    return undefined
  }
}

function isSound({ row, deleted }: FoundRow, state: EntityState | undefined): boolean {
  if (state === undefined) return false
  if (deleted !== undefined || state.deleted !== undefined) {
    return (deleted === undefined) === (state.deleted === undefined)
  }
  return state.entity.number === row.number && isSame(row, state.entity)
}

/** Rows follow their documents. Where there is no document it is made again, from the log and from the row. */
export async function mend(
  context: Context,
  loro: LoroModule,
  { broken, unindexed }: Damage,
  progress: Progress,
): Promise<void> {
  const advance = progress.phase('repairing', broken.length + unindexed.length)
  let done = 0
  const lost = new Set(broken.flatMap(({ id, state }) => (state === undefined ? [id] : [])))
  const linesById = await readLines(context, lost)
  for (const { id, state } of broken) {
    await change(once(context), async (change) => {
      if (state === undefined) await rebuildDocument(change, loro, id, linesById.get(id) ?? [])
      else await materialise(change.replica, [state], change.stamp)
      await change.announce('entity.repaired', id, {})
    })
    advance((done += 1))
  }
  for (const id of unindexed) {
    await change(once(context), async (change) => {
      const found = await change.replica.rows.find(id)
      if (found === undefined || found.deleted !== undefined) {
        await change.search.remove('entity', id)
        await change.replica.rows.unindex(id)
      } else await change.replica.rows.update(found.row)
      await change.announce('entity.repaired', id, {})
    })
    advance((done += 1))
  }
}

/** The past comes from the log as far as it is there; what the row says beyond that is written down as a change. */
async function rebuildDocument(
  { replica, relations, stamp }: Change,
  loro: LoroModule,
  id: string,
  lines: readonly LogLine[],
): Promise<void> {
  const found = await replica.rows.find(id)
  if (found === undefined) return
  using document = new EntityDocument(loro, id)
  for (const line of lines) if ('update' in line) document.import(line.update)
  await replica.forgetOps(id)
  await replica.put({ entityId: id, document: document.toBytes(), logged: null, isDirty: true })
  const { row, deleted } = found
  await replica.record(id, { at: row.updatedAt, by: row.updatedBy }, toCreation(row))
  for (const relation of await relations.of(id, 'from')) {
    const change = { [toRelationName(relation)]: toRelationValue(relation) }
    await replica.record(
      id,
      { at: relation.createdAt, by: relation.createdBy },
      { relations: change },
    )
  }
  if (deleted !== undefined) await replica.record(id, deleted, { deleted: true })
  else if (document.read()['fields'] !== undefined)
    await replica.record(id, stamp, { deleted: false })
}

async function readLines(
  { code }: Context,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly LogLine[]>> {
  const found = new Map<string, LogLine[]>()
  if (code === undefined || wanted.size === 0) return found
  const repository = await code.repository()
  for (const [name, blob] of (await readLog(repository)).tree) {
    for (const line of (await readSegment(repository, name, blob)).lines) {
      if (!wanted.has(line.entityId)) continue
      found.set(line.entityId, [...(found.get(line.entityId) ?? []), line])
    }
  }
  return found
}
