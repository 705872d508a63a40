import { createAgentReader, createAgents } from '../../agent/store.ts'
import {
  createAgentSessionReader,
  createAgentSessions,
  SessionAgents,
} from '../../agent/session/store.ts'
import { createClientReader, createClients } from '../../agent/client/store.ts'
import { createAnnotationReader, createAnnotations } from '../../annotation/store.ts'
import { createAnswers } from '../idempotency.ts'
import { createArtifactReader, createArtifacts } from '../../artifact/store.ts'
import { createConsistency, createConsistencyReader } from '../../integrity/store.ts'
import type { Clock } from '../clock/clock.ts'
import { Arrivals } from '../../agent/arrivals.ts'
import { readLead, readTime, setTime, tellTime } from '../clock/store.ts'
import { createEntities, createEntityReader } from '../../entity/store.ts'
import { createEventReader, createEvents } from '../../event/store.ts'
import { createGraphReader } from '../../graph/store.ts'
import { createInsightReader } from '../../insight/store.ts'
import { createJobReader, createJobs } from '../../job/store.ts'
import { createLeaseReader, createLeases } from '../../task/lease/store.ts'
import { createLookReader, createLooks } from '../../brief/store.ts'
import { createMessageReader, createMessages } from '../../message/store.ts'
import { createCarried, createCarriedReader } from '../../message/carried/store.ts'
import { recordOp } from '../../sync/document/ops-store.ts'
import { createPendingNoteReader, createPendingNotes } from '../../annotation/pending-store.ts'
import { createRelationReader, createRelations } from '../../relation/store.ts'
import { createReplica, createReplicaReader } from '../../sync/merge/store.ts'
import { createSearchReader } from '../../search/store.ts'
import { createSearchIndex, indexSearch, type SearchIndex } from '../../search/index/index-store.ts'
import type { AfterChange } from './after-change.ts'
import { lazyFactory } from './lazily.ts'
import type { Sql, SqlReader } from './sql.ts'
import { Sweeper } from './sweeper.ts'
import { indexTask } from '../../task/index-store.ts'
import { createSpanReader } from '../../task/lane/store.ts'
import { createTaskReader } from '../../task/store.ts'
import { createVectorReader, createVectors } from '../../search/semantic/store.ts'

export interface WriteOptions {
  /** Aborted before the work began: `cancelled`, and nothing is written. Once begun, the work is finished. */
  readonly signal?: AbortSignal
  /** Shares its transaction with no other write, so it reads only committed rows and its own. */
  readonly isAlone?: boolean
}

export interface WatchOptions {
  /** Whether the listener is to be called at once; asked at each commit. Otherwise a quarter of a second may pass. */
  readonly isUrgent?: () => boolean
}

/** The database port: reads of committed data, durable atomic writes, and commit signals. */
export interface StoreEngine extends SqlReader, AsyncDisposable {
  write<T>(work: (tx: Sql) => Promise<T>, options?: WriteOptions): Promise<T>
  watch(listener: () => void, options?: WatchOptions): () => void
  /** SQLite's `data_version`: another number after each commit of any process. */
  version(): Promise<number>
  copyToMemory(tables: readonly string[]): Promise<StoreEngine>
  /** Frees caches that the next calls fill again. */
  releaseMemory(): void
  /** Checkpoints and truncates the write-ahead log. False when another connection reads from it. */
  emptyLog(): Promise<boolean>
  /** Vacuum: rewrites the database file without free pages. */
  rewrite(): Promise<boolean>
}

/** What a read gets of the store: committed data, and no way to change it. */
export type ReadStore = ReturnType<typeof createReader>

/** The project's store. Reads see committed data; every change goes through `write`. */
export interface Store extends ReadStore, AsyncDisposable {
  /** The same store without its write methods. */
  readonly reader: ReadStore
  /**
   * Runs `work` in one transaction and resolves when it is on disk. If `work` throws, nothing of it is kept.
   * `work` does no I/O but through its transaction, starts no second write and has no side effects: it is retried
   * when another job of the group commit rolls back the transaction.
   */
  write<T>(work: (tx: StoreTransaction) => Promise<T>, options?: WriteOptions): Promise<T>
  /** A copy of these tables in memory; all others are empty there. Full-text tables are not copied. */
  copyToMemory(tables: readonly string[]): Promise<Store>
  /** Removes purged data from the files now. False when another process reads old pages; it is retried later. */
  sweep(): Promise<boolean>
  /** Frees caches that the next calls fill again. */
  releaseMemory(): void
  close(): Promise<void>
}

export function createStore(engine: StoreEngine): Store {
  const sweeper = new Sweeper(engine)
  const close = async (): Promise<void> => {
    await sweeper.close()
    await engine[Symbol.asyncDispose]()
  }
  const reader = createReader(engine)
  return {
    ...reader,
    reader,
    async write(work, options) {
      const result = await engine.write(async (sql) => {
        const tx = toTransaction(sql)
        const result = await work(tx)
        await tx.search.settle()
        return result
      }, options)
      sweeper.wake()
      return result
    },
    copyToMemory: async (tables) => createStore(await engine.copyToMemory(tables)),
    sweep: () => sweeper.sweep(),
    releaseMemory: () => engine.releaseMemory(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function createReader(engine: StoreEngine) {
  return {
    entities: createEntityReader(engine),
    relations: createRelationReader(engine),
    tasks: createTaskReader(engine),
    leases: createLeaseReader(engine),
    spans: createSpanReader(engine),
    jobs: createJobReader(engine),
    insights: createInsightReader(engine),
    agents: createAgentReader(engine),
    agentSessions: createAgentSessionReader(engine),
    clients: createClientReader(engine),
    messages: createMessageReader(engine),
    carried: createCarriedReader(engine),
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
    /** In memory, for this process only. */
    arrivals: new Arrivals(),
    sessionAgents: new SessionAgents(),
    /** The time of the transactions, for readers. */
    now: (clock: Clock): Promise<number> => readTime(engine, clock),
    /** By how many milliseconds that time is ahead of the wall clock; negative when it is behind. */
    lead: (clock: Clock): Promise<number> => readLead(engine, clock),
    /** Another number after each commit of any process. */
    version: (): Promise<number> => engine.version(),
    /** Calls `listener` after commits of any process, perhaps once for several. Returns the unsubscribe function. */
    watch: (listener: () => void, options?: WatchOptions): (() => void) =>
      engine.watch(listener, options),
  }
}

interface TransactionSource {
  readonly sql: Sql
  readonly search: SearchIndex
  readonly index: AfterChange
  readonly afterChange: AfterChange
}

const transactionNouns = {
  entities: ({ sql, afterChange }: TransactionSource) => createEntities(sql, afterChange),
  relations: ({ sql, afterChange }: TransactionSource) => createRelations(sql, afterChange),
  replica: ({ sql, index }: TransactionSource) => createReplica(sql, index),
  annotations: ({ sql }: TransactionSource) => createAnnotations(sql),
  pendingNotes: ({ sql }: TransactionSource) => createPendingNotes(sql),
  looks: ({ sql }: TransactionSource) => createLooks(sql),
  artifacts: ({ sql }: TransactionSource) => createArtifacts(sql),
  consistency: ({ sql }: TransactionSource) => createConsistency(sql),
  tasks: ({ sql }: TransactionSource) => createTaskReader(sql),
  leases: ({ sql }: TransactionSource) => createLeases(sql),
  jobs: ({ sql }: TransactionSource) => createJobs(sql),
  agents: ({ sql }: TransactionSource) => createAgents(sql),
  agentSessions: ({ sql }: TransactionSource) => createAgentSessions(sql),
  clients: ({ sql }: TransactionSource) => createClients(sql),
  messages: ({ sql }: TransactionSource) => createMessages(sql),
  carried: ({ sql }: TransactionSource) => createCarried(sql),
  answers: ({ sql }: TransactionSource) => createAnswers(sql),
  events: ({ sql }: TransactionSource) => createEvents(sql),
  search: ({ search }: TransactionSource) => search,
  vectors: ({ sql }: TransactionSource) => createVectors(sql),
  /**
   * Begins reads that will be needed, all together, where the answers of each are waited for: a later read is answered
   * from them unless its tables have been written since. Elsewhere nothing is read before it is needed.
   */
  prefetch:
    ({ sql }: TransactionSource) =>
    async (reads: () => readonly Promise<unknown>[]): Promise<void> => {
      // A failed prefetch is reported by the read that needs it.
      if (sql.remembers === true) await Promise.allSettled(reads())
    },
  /** The time of this store: one monotonic clock for all processes, which a wrong process clock does not move. */
  now:
    ({ sql }: TransactionSource) =>
    (clock: Clock) =>
      tellTime(sql, clock),
  /** Sets that clock to the wall clock, also backwards. Leases keep their remaining length. */
  setTime:
    ({ sql }: TransactionSource) =>
    (clock: Clock) =>
      setTime(sql, clock),
}

/** The nouns inside one transaction. Valid until the function that received it returns. */
export type StoreTransaction = {
  readonly [Name in keyof typeof transactionNouns]: ReturnType<(typeof transactionNouns)[Name]>
}

export const transactionNames = Object.keys(transactionNouns) as (keyof typeof transactionNouns)[]

const createTransaction = lazyFactory<TransactionSource, StoreTransaction>(transactionNouns)

/** An engine may use one object for many transactions. */
const transactions = new WeakMap<Sql, StoreTransaction>()

function toTransaction(sql: Sql): StoreTransaction {
  const known = transactions.get(sql)
  if (known !== undefined) return known
  const tx = beginTransactions(sql)
  transactions.set(sql, tx)
  return tx
}

function beginTransactions(sql: Sql): StoreTransaction {
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
  return createTransaction({ sql, search, index, afterChange })
}
