import { createAgentReader, createAgents } from '../../agent/store.ts'
import { createAgentSessionReader, createAgentSessions } from '../../agent/session/store.ts'
import type { Clock } from '../../core/clock/clock.ts'
import { readTime, tellTime } from '../../core/clock/store.ts'
import type { Sql } from '../../core/store/sql.ts'
import type { StoreEngine, WriteOptions } from '../../core/store/store.ts'
import { createEntityReader } from '../../entity/store.ts'
import { createEventReader, createEvents } from '../../event/store.ts'
import { createMessageReader } from '../../message/store.ts'
import { createLeaseReader, createLeases } from '../../task/lease/store.ts'

/** The part of the store that hooks need: what they change is neither searched nor merged. */
export type HookStore = ReturnType<typeof createHookStore>
export type HookTransaction = ReturnType<typeof toTransaction>

/** Loads a fifth of what the whole store does, and a host waits for that at every edit. */
export function createHookStore(engine: StoreEngine) {
  return {
    entities: createEntityReader(engine),
    leases: createLeaseReader(engine),
    agents: createAgentReader(engine),
    agentSessions: createAgentSessionReader(engine),
    messages: createMessageReader(engine),
    events: createEventReader(engine),
    now: (clock: Clock): Promise<number> => readTime(engine, clock),
    write: <T>(work: (tx: HookTransaction) => Promise<T>, options?: WriteOptions): Promise<T> =>
      engine.write((sql) => work(toTransaction(sql)), options),
  }
}

function toTransaction(sql: Sql) {
  return {
    leases: createLeases(sql),
    agents: createAgents(sql),
    agentSessions: createAgentSessions(sql),
    events: createEvents(sql),
    now: (clock: Clock): Promise<number> => tellTime(sql, clock),
  }
}
