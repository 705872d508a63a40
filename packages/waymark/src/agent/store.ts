import { IDLE_AFTER_MS, isRecent, OFFLINE_AFTER_MS, type Silence, type AgentId } from './agent.ts'
import { camelColumns, type Sql, type SqlReader, type Stored } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'

/** A participant in the project: an agent in a host, or a person at a terminal. */
export interface AgentRow {
  readonly id: AgentId
  readonly name: string | null
  readonly role: string | null
  /** The host it runs in, such as a program and its version. */
  readonly client: string | null
  readonly model: string | null
  readonly capabilities: Readonly<Record<string, unknown>>
  /** How long its leases last unless it says otherwise. */
  readonly leaseSeconds: number
  /** Milliseconds since 1970. */
  readonly joinedAt: number
  /** The newest message at that moment: broadcasts up to this id are not delivered to it. */
  readonly joinedAfter: number
  readonly seenAt: number
  readonly leftAt: number | null
}

interface PresenceQuery {
  readonly presences: readonly Silence[]
  /** Milliseconds since 1970. */
  readonly now: number
  readonly limit: number
}

const NAMES = `id, name, role, client, model, capabilities, lease_seconds, joined_at, joined_after,
  seen_at, left_at`
const COLUMNS = camelColumns(NAMES)
const BY_ID = `SELECT ${COLUMNS} FROM agent WHERE id = ?`

type AgentRecord = Stored<AgentRow, 'capabilities'>

export type AgentReader = ReturnType<typeof createAgentReader>

export function createAgentReader(sql: SqlReader) {
  return {
    async byId(id: AgentId): Promise<AgentRow | undefined> {
      const record = await sql.get<AgentRecord>(BY_ID, [id])
      return record && toAgent(record)
    },

    async byName(name: string): Promise<AgentRow[]> {
      const records = await sql.all<AgentRecord>(
        `SELECT ${COLUMNS} FROM agent WHERE name = ? ORDER BY seen_at DESC, id`,
        [name],
      )
      return records.map(toAgent)
    },

    /** Agents with one of these presences (see `presenceOf`), most recently seen first. */
    async present({ presences, now, limit }: PresenceQuery): Promise<AgentRow[]> {
      const records = await sql.all<AgentRecord>(
        `SELECT ${COLUMNS} FROM agent
          WHERE CASE WHEN left_at IS NOT NULL OR seen_at <= ? THEN 'offline'
            WHEN seen_at <= ? THEN 'idle' ELSE 'active' END
            IN (${presences.map(() => '?').join(', ')})
          ORDER BY seen_at DESC, id LIMIT ?`,
        [now - OFFLINE_AFTER_MS, now - IDLE_AFTER_MS, ...presences, limit],
      )
      return records.map(toAgent)
    },
  }
}

export function createAgents(sql: Sql) {
  const reader = createAgentReader(sql)
  return {
    ...reader,

    /** Upserts an agent; one that had left is present again. */
    async put(agent: AgentRow): Promise<void> {
      await sql.send(
        `INSERT INTO agent (${NAMES}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET name = excluded.name, role = excluded.role,
            client = excluded.client, model = excluded.model,
            capabilities = excluded.capabilities, lease_seconds = excluded.lease_seconds,
            seen_at = excluded.seen_at, left_at = NULL`,
        [
          agent.id,
          agent.name,
          agent.role,
          agent.client,
          agent.model,
          JSON.stringify(agent.capabilities),
          agent.leaseSeconds,
          agent.joinedAt,
          agent.joinedAfter,
          agent.seenAt,
          agent.leftAt,
        ],
      )
    },

    /** Updates the last-seen time, to the second, and returns the agent; undefined if there is none. */
    async touch(id: AgentId, at: number): Promise<AgentRow | undefined> {
      const known = await reader.byId(id)
      if (known === undefined || (known.leftAt === null && isRecent(known.seenAt, at))) return known
      await sql.send('UPDATE agent SET seen_at = ?, left_at = NULL WHERE id = ?', [at, id])
      return { ...known, seenAt: at, leftAt: null }
    },

    async leave(id: AgentId, at: number): Promise<void> {
      await sql.send('UPDATE agent SET left_at = ? WHERE id = ?', [at, id])
    },
  }
}

function toAgent(record: AgentRecord): AgentRow {
  return { ...record, capabilities: parseStored(record.capabilities, `agent ${record.id}`) }
}
