import type { Failure } from '../../core/error.ts'
import type { Entities } from '../../entity/store.ts'
import type { Leases } from './store.ts'
import type { RelationKey, Relations } from '../../relation/store.ts'
import type { Replica } from '../../sync/merge/store.ts'
import { lazyFactory, override } from '../../core/store/lazily.ts'
import type { StoreTransaction } from '../../core/store/store.ts'
import { toHeldElsewhere } from './elsewhere/holders.ts'
import { heldBy, heldInOtherClone } from './refusals.ts'
import { type AgentId, NO_AGENT } from '../../agent/agent.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** Decides which tasks a change may write. */
export interface Admission {
  /** Sets the acting agent, which may write the tasks that it holds. */
  actAs(agentId: AgentId): void
  /** Why the task must not be written: another agent holds it. */
  refusal(taskId: EntityId): Promise<Failure | undefined>
  /** Lets the change write a task that another clone holds: at a person's request, or to end a lease of this clone. */
  override(taskId: EntityId): void
}

export interface Guarded extends Pick<StoreTransaction, 'relations' | 'leases' | 'replica'> {
  readonly admission: Admission
  /** What writes them; reads need no guard. */
  readonly entities: EntityWrites
}

type EntityWrites = Pick<Entities, 'insert' | 'update' | 'remove' | 'purge'>

interface Writer {
  readonly agentId: AgentId | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

interface GuardSource {
  readonly tx: StoreTransaction
  readonly admission: Admission
  readonly assertMayWrite: AssertMayWrite
  readonly pass: Pass
}

const createGuarded = lazyFactory<GuardSource, Guarded>({
  admission: ({ admission }) => admission,
  entities: ({ tx, assertMayWrite, pass }) => guardEntities(tx.entities, assertMayWrite, pass),
  relations: ({ tx, assertMayWrite }) => guardRelations(tx.relations, assertMayWrite),
  leases: ({ tx, assertMayWrite, pass }) => guardLeases(tx.leases, assertMayWrite, pass),
  replica: ({ tx, assertMayWrite, pass }) => guardReplica(tx.replica, assertMayWrite, pass),
})

/**
 * Wraps the nouns of a transaction so that a task held by another agent cannot be written: neither its row, nor its own
 * relations, nor its lease. Every operation writes through this guard, so none can skip the check.
 */
export function guardHeldTasks(tx: StoreTransaction, writer: Writer): Guarded {
  const { admission, pass } = createAdmission(tx, writer)
  const assertMayWrite = async (id: EntityId): Promise<void> => {
    const refusal = await admission.refusal(id)
    if (refusal !== undefined) throw refusal
  }
  return createGuarded({ tx, admission, assertMayWrite, pass })
}

type AssertMayWrite = (id: EntityId) => Promise<void>
/** Remembers that the writer may write this entity. */
type Pass = (id: EntityId) => void

function createAdmission(
  tx: StoreTransaction,
  { agentId = NO_AGENT, now }: Writer,
): { readonly admission: Admission; readonly pass: Pass } {
  let writer = agentId
  // One lookup for each task: inside the transaction only the change itself can give the task to an agent.
  const passed = new Set<string>()
  const admission: Admission = {
    actAs(agentId) {
      if (agentId === writer) return
      writer = agentId
      passed.clear()
    },
    async refusal(taskId) {
      if (passed.has(taskId)) return undefined
      const lease = await tx.leases.heldAgainst(writer, taskId, now)
      if (lease !== undefined) {
        return heldBy({ id: taskId, number: await numberOf(tx.replica, taskId) }, lease)
      }
      const foreign = await tx.leases.shared.foreignOf(taskId, now)
      if (foreign?.isClosed === false) {
        const task = { id: taskId, number: await numberOf(tx.replica, taskId) }
        return heldInOtherClone(task, toHeldElsewhere(foreign))
      }
      passed.add(taskId)
      return undefined
    },
    override: (taskId) => void passed.add(taskId),
  }
  return { admission, pass: (id) => void passed.add(id) }
}

async function numberOf({ rows }: Replica, id: EntityId): Promise<number> {
  return (await rows.find(id))?.row.number ?? 0
}

function guardEntities(
  entities: Entities,
  assertMayWrite: AssertMayWrite,
  pass: Pass,
): EntityWrites {
  return {
    async insert(entity) {
      const row = await entities.insert(entity)
      pass(row.id)
      return row
    },
    async update(id, changes, stamp) {
      await assertMayWrite(id)
      return await entities.update(id, changes, stamp)
    },
    async remove(id, stamp) {
      await assertMayWrite(id)
      return await entities.remove(id, stamp)
    },
    async purge(id) {
      await assertMayWrite(id)
      await entities.purge(id)
    },
  }
}

/**
 * A relation belongs to its source, except that `blocks` belongs to the blocked task. Other relations to a held task do
 * not change it. Deleting an entity removes all its relations, also those of held tasks.
 */
function guardRelations(relations: Relations, assertMayWrite: AssertMayWrite): Relations {
  return override(relations, {
    async insert(relation) {
      await assertMayWrite(ownerOf(relation))
      return await relations.insert(relation)
    },
    async remove(key, stamp) {
      await assertMayWrite(ownerOf(key))
      return await relations.remove(key, stamp)
    },
    async removeAllOf(entityId, stamp) {
      await assertMayWrite(entityId)
      return await relations.removeAllOf(entityId, stamp)
    },
  })
}

export function ownerOf({ type, sourceId, targetId }: RelationKey): EntityId {
  return type === 'blocks' ? targetId : sourceId
}

/** Granting, renewing, releasing and handing over check the holder themselves; ending a lease needs an override. */
function guardLeases(leases: Leases, assertMayWrite: AssertMayWrite, pass: Pass): Leases {
  return override(leases, {
    async grant(taskId, grant) {
      const lease = await leases.grant(taskId, grant)
      if (lease !== undefined) pass(taskId)
      return lease
    },
    async admits(taskId, holder, state) {
      const isAdmitted = await leases.admits(taskId, holder, state)
      if (isAdmitted) pass(taskId)
      return isAdmitted
    },
    async clear(taskId, options) {
      await assertMayWrite(taskId)
      await leases.clear(taskId, options)
    },
  })
}

function guardReplica(replica: Replica, assertMayWrite: AssertMayWrite, pass: Pass): Replica {
  const { rows } = replica
  return {
    ...replica,
    rows: {
      ...rows,
      relations: guardRelations(rows.relations, assertMayWrite),
      async insert(entity, arrival) {
        const row = await rows.insert(entity, arrival)
        pass(row.id)
        return row
      },
      async update(entity, arrival) {
        await assertMayWrite(entity.id)
        return await rows.update(entity, arrival)
      },
      async remove(id, stamp) {
        await assertMayWrite(id)
        await rows.remove(id, stamp)
      },
      async purge(id, stamp, isLogged) {
        await assertMayWrite(id)
        await rows.purge(id, stamp, isLogged)
      },
    },
  }
}
