import {
  type AgentReader,
  type Agents,
  createAgentReader,
  createAgents,
} from '../../agent/store.ts'
import {
  type AgentSessionReader,
  type AgentSessions,
  createAgentSessionReader,
  createAgentSessions,
} from '../../agent/session-store.ts'
import { SessionAgents } from '../../agent/session-agents.ts'
import {
  type AnnotationReader,
  type Annotations,
  createAnnotationReader,
  createAnnotations,
} from '../../annotation/store.ts'
import { type Answers, createAnswers } from '../idempotency.ts'
import {
  type ArtifactReader,
  type Artifacts,
  createArtifactReader,
  createArtifacts,
} from '../../artifact/store.ts'
import {
  type Consistency,
  type ConsistencyReader,
  createConsistency,
  createConsistencyReader,
} from '../../integrity/store.ts'
import type { Clock } from '../clock/clock.ts'
import { Arrivals } from '../../agent/arrivals.ts'
import { readLead, readTime, setTime, tellTime } from '../clock/store.ts'
import {
  createEntities,
  createEntityReader,
  type Entities,
  type EntityReader,
} from '../../entity/store.ts'
import {
  createEventReader,
  createEvents,
  type EventReader,
  type Events,
} from '../../event/store.ts'
import { createGraphReader, type GraphReader } from '../../graph/store.ts'
import {
  createLeaseReader,
  createLeases,
  type LeaseReader,
  type Leases,
} from '../../task/lease/store.ts'
import { createLookReader, createLooks, type LookReader, type Looks } from '../../brief/store.ts'
import {
  createMessageReader,
  createMessages,
  type MessageReader,
  type Messages,
} from '../../message/store.ts'
import { recordOp } from '../../sync/document/ops-store.ts'
import {
  createPendingNoteReader,
  createPendingNotes,
  type PendingNoteReader,
  type PendingNotes,
} from '../../annotation/pending-store.ts'
import {
  createRelationReader,
  createRelations,
  type RelationReader,
  type Relations,
} from '../../relation/store.ts'
import {
  createReplica,
  createReplicaReader,
  type Replica,
  type ReplicaReader,
} from '../../sync/merge/store.ts'
import { createSearchReader, type SearchReader } from '../../search/store.ts'
import { createSearchIndex, indexSearch, type SearchIndex } from '../../search/index-store.ts'
import { lazily } from '../../support/lazy.ts'
import type { AfterChange } from './after-change.ts'
import type { Sql, SqlReader } from './sql.ts'
import { Sweeper } from './sweeper.ts'
import { countUnswept } from './counters.ts'
import { indexTask } from '../../task/index-store.ts'
import { createTaskReader, type TaskReader } from '../../task/store.ts'
import {
  createVectorReader,
  createVectors,
  type VectorReader,
  type Vectors,
} from '../../search/semantic/store.ts'

export interface WriteOptions {
  /** Aborted before the work began: `cancelled`, and nothing is written. Once begun, the work is finished. */
  readonly signal?: AbortSignal
  /** Shares its transaction with no other write, so it reads only committed rows and its own. */
  readonly isAlone?: boolean
}

/** The nouns inside one transaction. Valid until the function that received it returns. */
export interface StoreTransaction {
  readonly entities: Entities
  readonly relations: Relations
  readonly tasks: TaskReader
  readonly leases: Leases
  readonly agents: Agents
  readonly agentSessions: AgentSessions
  readonly messages: Messages
  readonly answers: Answers
  readonly events: Events
  readonly search: SearchIndex
  readonly vectors: Vectors
  readonly replica: Replica
  readonly annotations: Annotations
  readonly pendingNotes: PendingNotes
  readonly looks: Looks
  readonly artifacts: Artifacts
  readonly consistency: Consistency
  /** The time of this store: one monotonic clock for all processes, which a wrong process clock does not move. */
  now(clock: Clock): Promise<number>
  /** Sets that clock to the wall clock, also backwards. Leases keep their remaining length. */
  setTime(clock: Clock): Promise<void>
}

/** The project's store. Reads see committed data; every change goes through `write`. */
export interface Store extends AsyncDisposable {
  readonly entities: EntityReader
  readonly relations: RelationReader
  readonly tasks: TaskReader
  readonly leases: LeaseReader
  readonly agents: AgentReader
  readonly agentSessions: AgentSessionReader
  readonly messages: MessageReader
  readonly events: EventReader
  readonly search: SearchReader
  readonly vectors: VectorReader
  readonly replica: ReplicaReader
  readonly annotations: AnnotationReader
  readonly pendingNotes: PendingNoteReader
  readonly looks: LookReader
  readonly artifacts: ArtifactReader
  readonly graph: GraphReader
  readonly consistency: ConsistencyReader
  /** In memory, for this process only. */
  readonly arrivals: Arrivals
  readonly sessionAgents: SessionAgents
  /** The time of the transactions, for readers. */
  now(clock: Clock): Promise<number>
  /** By how many milliseconds that time is ahead of the wall clock; negative when it is behind. */
  lead(clock: Clock): Promise<number>
  /**
   * Runs `work` in one transaction and resolves when it is on disk. If `work` throws, nothing of it is kept.
   * `work` does no I/O but through its transaction, starts no second write and has no side effects: it is retried
   * when another job of the group commit rolls back the transaction.
   */
  write<T>(work: (tx: StoreTransaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Calls `listener` after commits of any process, perhaps once for several. Returns the unsubscribe function. */
  watch(listener: () => void): () => void
  /** Removes purged data from the files now. False when another process reads old pages; it is retried later. */
  sweep(): Promise<boolean>
  close(): Promise<void>
}

/** The database port: reads of committed data, durable atomic writes, and commit signals. */
export interface StoreEngine extends SqlReader, AsyncDisposable {
  write<T>(work: (tx: Sql) => Promise<T>, options?: WriteOptions): Promise<T>
  watch(listener: () => void): () => void
  /** Checkpoints and truncates the write-ahead log. False when another connection reads from it. */
  emptyLog(): Promise<boolean>
  /** Vacuum: rewrites the database file without free pages. */
  rewrite(): Promise<boolean>
}

export function createStore(engine: StoreEngine): Store {
  const sweeper = new Sweeper(engine)
  const close = async (): Promise<void> => {
    await sweeper.close()
    await engine[Symbol.asyncDispose]()
  }
  return {
    entities: createEntityReader(engine),
    relations: createRelationReader(engine),
    tasks: createTaskReader(engine),
    leases: createLeaseReader(engine),
    agents: createAgentReader(engine),
    agentSessions: createAgentSessionReader(engine),
    messages: createMessageReader(engine),
    events: createEventReader(engine),
    search: createSearchReader(engine),
    vectors: createVectorReader(engine),
    replica: createReplicaReader(engine),
    annotations: createAnnotationReader(engine),
    pendingNotes: createPendingNoteReader(engine),
    looks: createLookReader(engine),
    artifacts: createArtifactReader(engine),
    graph: createGraphReader(engine),
    consistency: createConsistencyReader(engine),
    arrivals: new Arrivals(),
    sessionAgents: new SessionAgents(),
    now: (clock) => readTime(engine, clock),
    lead: (clock) => readLead(engine, clock),
    async write(work, options) {
      let isUnswept = false
      const result = await engine.write(async (sql) => {
        const tx = toTransaction(sql)
        const result = await work(tx)
        await tx.search.settle()
        isUnswept = (await countUnswept(sql)) > 0
        return result
      }, options)
      if (isUnswept) sweeper.wake()
      return result
    },
    watch: (listener) => engine.watch(listener),
    sweep: () => sweeper.sweep(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function toTransaction(sql: Sql): StoreTransaction {
  const search = createSearchIndex(sql)
  // Other tables that follow each change of a row, in this order.
  const index: AfterChange = async (change) => {
    await indexSearch(search, change)
    if (!('row' in change) || change.row.type === 'task') await indexTask(sql, change)
  }
  const afterChange: AfterChange = async (change) => {
    await index(change)
    await recordOp(sql, change)
  }
  return lazily<StoreTransaction>({
    entities: () => createEntities(sql, afterChange),
    relations: () => createRelations(sql, afterChange),
    replica: () => createReplica(sql, index),
    annotations: () => createAnnotations(sql),
    pendingNotes: () => createPendingNotes(sql),
    looks: () => createLooks(sql),
    artifacts: () => createArtifacts(sql),
    consistency: () => createConsistency(sql),
    tasks: () => createTaskReader(sql),
    leases: () => createLeases(sql),
    agents: () => createAgents(sql),
    agentSessions: () => createAgentSessions(sql),
    messages: () => createMessages(sql),
    answers: () => createAnswers(sql),
    events: () => createEvents(sql),
    search: () => search,
    vectors: () => createVectors(sql),
    now: () => (clock) => tellTime(sql, clock),
    setTime: () => (clock) => setTime(sql, clock),
  })
}
