import type { Sql, SqlReader } from '../../core/store/sql.ts'

/** The last connection of a client in a worktree. */
export interface ClientConnection {
  /** As the client calls itself. */
  readonly client: string
  readonly version: string
  /** The negotiated version of MCP. */
  readonly protocol: string
  /** Top folder of the working tree; empty if there is none. */
  readonly worktree: string
  /** Milliseconds since 1970. */
  readonly connectedAt: number
  /** The last request, as `tools/call brief`. */
  readonly asked: string
  readonly askedAt: number
}

/** Clients choose their names, so only the latest are kept. */
export const MOST_CLIENTS = 50

export function createClientReader(sql: SqlReader) {
  return {
    /** The one that requested something last comes first. */
    latest: (limit: number): Promise<ClientConnection[]> =>
      sql.all<ClientConnection>(
        `SELECT client, version, protocol, worktree, connected_at AS connectedAt, asked, asked_at AS askedAt
          FROM client_connection ORDER BY asked_at DESC, client LIMIT ?`,
        [limit],
      ),
  }
}

export function createClients(sql: Sql) {
  return {
    ...createClientReader(sql),

    async put(one: ClientConnection): Promise<void> {
      await sql.run(
        `INSERT INTO client_connection
          (client, worktree, version, protocol, connected_at, asked, asked_at)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (client, worktree) DO UPDATE SET version = excluded.version,
            protocol = excluded.protocol, connected_at = excluded.connected_at,
            asked = excluded.asked, asked_at = excluded.asked_at`,
        [
          one.client,
          one.worktree,
          one.version,
          one.protocol,
          one.connectedAt,
          one.asked,
          one.askedAt,
        ],
      )
      await sql.run(
        `DELETE FROM client_connection WHERE (client, worktree) NOT IN
          (SELECT client, worktree FROM client_connection ORDER BY asked_at DESC LIMIT ${MOST_CLIENTS})`,
      )
    },
  }
}
