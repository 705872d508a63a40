import type { Sql, SqlReader } from '../../core/store/sql.ts'
import { isRecent, type AgentId } from '../agent.ts'
import type { AgentSession } from './session.ts'

export interface AgentSessionReader {
  of(agentId: AgentId): Promise<AgentSession | undefined>
  bySession(session: string): Promise<AgentSession | undefined>
  /** Of all sessions of a host, in any worktree, the latest first. */
  ofHost(host: string): Promise<AgentSession[]>
  ofAll(agentIds: readonly AgentId[]): Promise<ReadonlyMap<AgentId, AgentSession>>
}

export interface AgentSessions extends AgentSessionReader {
  /** Records that a session acts as an agent, instead of any earlier one. */
  put(session: AgentSession): Promise<void>
  /** Records a sign of life, to the second, and the process that serves the session now. False if another session acts as the agent. */
  touch(agentId: AgentId, session: string, at: number, process?: string): Promise<boolean>
  /** The same for all sessions of a process that have not ended. */
  touchProcess(process: string, at: number): Promise<void>
  end(session: string, at: number): Promise<void>
  endProcess(process: string, at: number): Promise<void>
}

const COLUMNS = `agent_id, session, host, name, owner, worktree, process, beats, seen_at, ended_at`
const BY_AGENT = `SELECT ${COLUMNS} FROM agent_session WHERE agent_id = ?`
const BY_SESSION = `SELECT ${COLUMNS} FROM agent_session WHERE session = ?`

interface SessionRecord {
  readonly agent_id: AgentId
  readonly session: string
  readonly host: string
  readonly name: string
  readonly owner: string
  readonly worktree: string
  readonly process: string | null
  readonly beats: number
  readonly seen_at: number
  readonly ended_at: number | null
}

export function createAgentSessionReader(sql: SqlReader): AgentSessionReader {
  const find = async (select: string, value: string): Promise<AgentSession | undefined> => {
    const record = await sql.get<SessionRecord>(select, [value])
    return record && toSession(record)
  }
  return {
    of: (agentId) => find(BY_AGENT, agentId),
    bySession: (session) => find(BY_SESSION, session),

    async ofHost(host) {
      const records = await sql.all<SessionRecord>(
        `SELECT ${COLUMNS} FROM agent_session WHERE host = ? ORDER BY seen_at DESC, agent_id`,
        [host],
      )
      return records.map(toSession)
    },

    async ofAll(agentIds) {
      const records = await sql.all<SessionRecord>(
        `SELECT ${COLUMNS} FROM agent_session
          WHERE agent_id IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(agentIds)],
      )
      return new Map(records.map((record) => [record.agent_id, toSession(record)]))
    },
  }
}

export function createAgentSessions(sql: Sql): AgentSessions {
  const reader = createAgentSessionReader(sql)
  return {
    ...reader,

    async put(session) {
      await sql.send(
        `INSERT INTO agent_session (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (agent_id) DO UPDATE SET session = excluded.session, host = excluded.host,
            name = excluded.name, owner = excluded.owner, worktree = excluded.worktree,
            process = excluded.process, beats = excluded.beats, seen_at = excluded.seen_at,
            ended_at = excluded.ended_at`,
        [
          session.agentId,
          session.session,
          session.host,
          session.name,
          session.owner,
          session.worktree,
          session.process,
          Number(session.beats),
          session.seenAt,
          session.endedAt,
        ],
      )
    },

    async touch(agentId, session, at, process) {
      const known = await reader.of(agentId)
      if (known === undefined) return true
      if (known.session !== session) return false
      const isSame = known.endedAt === null && (process ?? known.process) === known.process
      if (isSame && isRecent(known.seenAt, at)) return true
      await sql.send(
        `UPDATE agent_session SET seen_at = ?, ended_at = NULL, process = coalesce(?, process)
          WHERE agent_id = ?`,
        [at, process ?? null, agentId],
      )
      return true
    },

    async touchProcess(process, at) {
      await sql.send(
        'UPDATE agent_session SET seen_at = ? WHERE process = ? AND ended_at IS NULL',
        [at, process],
      )
    },

    async end(session, at) {
      await sql.send(
        'UPDATE agent_session SET ended_at = ? WHERE session = ? AND ended_at IS NULL',
        [at, session],
      )
    },

    async endProcess(process, at) {
      await sql.send(
        'UPDATE agent_session SET ended_at = ? WHERE process = ? AND ended_at IS NULL',
        [at, process],
      )
    },
  }
}

function toSession(record: SessionRecord): AgentSession {
  const { host, name, owner, worktree, process } = record
  return {
    agentId: record.agent_id,
    session: record.session,
    host,
    name,
    owner,
    worktree,
    process,
    beats: record.beats === 1,
    seenAt: record.seen_at,
    endedAt: record.ended_at,
  }
}

/** The oldest entries are dropped beyond this; the store knows them still. */
const MOST = 10_000

/** The agent that a session acts as. */
export interface SessionAgent {
  readonly id: AgentId
  readonly name: string
}

/** The agents of the sessions that this process serves. */
export class SessionAgents {
  readonly #agentBySession = new Map<string, SessionAgent>()
  readonly #namedBySession = new Map<string, Set<AgentId>>()
  /** Sessions whose agent has a row. */
  readonly #joined = new Set<string>()

  get size(): number {
    return this.#agentBySession.size
  }

  get(session: string): SessionAgent | undefined {
    return this.#agentBySession.get(session)
  }

  set(session: string, agent: SessionAgent): void {
    const [oldest] = this.#agentBySession.keys()
    if (oldest !== undefined && this.#agentBySession.size >= MOST) this.delete(oldest)
    this.#agentBySession.set(session, agent)
  }

  hasJoined(session: string): boolean {
    return this.#joined.has(session)
  }

  setJoined(session: string): void {
    this.#joined.add(session)
  }

  /** The agents that the calls of a session have named as their own, in dialects where every call does. */
  named(session: string | undefined): ReadonlySet<AgentId> {
    return this.#namedBySession.get(session ?? '') ?? new Set()
  }

  addNamed(session: string | undefined, agentId: AgentId): void {
    if (session === undefined) return
    const [oldest] = this.#namedBySession.keys()
    if (oldest !== undefined && this.#namedBySession.size >= MOST) this.delete(oldest)
    this.#namedBySession.set(session, new Set([...this.named(session), agentId]))
  }

  delete(session: string): void {
    this.#agentBySession.delete(session)
    this.#namedBySession.delete(session)
    this.#joined.delete(session)
  }
}
