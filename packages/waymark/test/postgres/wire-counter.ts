import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface WireCounter extends AsyncDisposable {
  /** The database behind it. */
  readonly url: string
  /** How often the server was waited for, since the last call. */
  take(): number
}

/**
 * Counts round trips where they happen, on the wire: each time a client sends something after it has heard from the
 * server. Notifications are left out: no caller waits for them.
 */
export async function countRoundTrips(databaseUrl: string): Promise<WireCounter> {
  const { searchParams } = new URL(databaseUrl.replace('@/', '@localhost/'))
  const path = `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`
  const sockets = new Set<Socket>()
  let trips = 0
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(path)
    let hasHeard = true
    client.on('data', (chunk) => {
      if (hasHeard && !chunk.includes('pg_notify')) trips += 1
      hasHeard = false
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      hasHeard = true
      client.write(chunk)
    })
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const database = /@\/([^?]*)/.exec(databaseUrl)?.[1] ?? ''
  return {
    url: `postgres://${/\/\/([^@]*)@/.exec(databaseUrl)?.[1]}@127.0.0.1:${port}/${database}`,
    take: () => {
      const taken = trips
      trips = 0
      return taken
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
