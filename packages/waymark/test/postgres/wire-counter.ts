import { type Relay, startRelay } from './relay.ts'

export interface WireCounter extends Relay {
  /** How often the server was waited for, since the last call. */
  take(): number
}

/**
 * Counts round trips where they happen, on the wire: each time a client sends something after it has heard from the
 * server. Notifications are left out, because no caller waits for them, and the start of a connection, which many calls share.
 */
export async function countRoundTrips(databaseUrl: string): Promise<WireCounter> {
  let trips = 0
  const relay = await startRelay(databaseUrl, () => {
    let hasHeard = false
    return {
      toServer: (chunk, send) => {
        if (hasHeard && !chunk.includes('pg_notify')) trips += 1
        hasHeard = false
        send(chunk)
      },
      toClient: (chunk, send) => {
        hasHeard = true
        send(chunk)
      },
    }
  })
  return {
    ...relay,
    take: () => {
      const taken = trips
      trips = 0
      return taken
    },
  }
}
