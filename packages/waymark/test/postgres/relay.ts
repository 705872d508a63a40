import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Relay extends AsyncDisposable {
  /** The database behind it. */
  readonly url: string
}

/** What becomes of the bytes of one connection. */
export interface Passage {
  readonly toServer: (chunk: Buffer, send: (chunk: Buffer) => void) => void
  readonly toClient: (chunk: Buffer, send: (chunk: Buffer) => void) => void
}

/** Stands between a program and the server of `databaseUrl`. */
export async function startRelay(databaseUrl: string, open: () => Passage): Promise<Relay> {
  const { searchParams } = new URL(databaseUrl.replace('@/', '@localhost/'))
  const path = `${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(path)
    const { toServer, toClient } = open()
    client.on('data', (chunk) => toServer(chunk, (bytes) => upstream.write(bytes)))
    upstream.on('data', (chunk) => toClient(chunk, (bytes) => client.write(bytes)))
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
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
