import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface HttpRemote extends AsyncDisposable {
  /** Without a slash at its end; the path below it is that of a repository in the folder. */
  readonly address: string
  /** User and password of every request, empty where it had none. */
  readonly credentials: readonly string[]
}

interface HttpRemoteOptions {
  readonly user: string
  readonly password: string
  /** Of a server with TLS. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer }
}

/** Serves the repositories of a folder to `user` with `password`, by Git's own program for that. */
export async function startHttpRemote(
  folder: string,
  { user, password, tls }: HttpRemoteOptions,
): Promise<HttpRemote> {
  const credentials: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const [, encoded = ''] = /^basic (.*)$/i.exec(request.headers.authorization ?? '') ?? []
    const given = Buffer.from(encoded, 'base64').toString()
    credentials.push(given)
    if (given === `${user}:${password}`) serve(folder, request, response)
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end()
  }
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    credentials,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function serve(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
  const { headers, method = 'GET' } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: 'tester',
      REQUEST_METHOD: method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    },
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.once('close', () => {
    const answer = Buffer.concat(chunks)
    const end = answer.indexOf('\r\n\r\n')
    for (const line of answer.toString('utf8', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s)
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(answer.subarray(end + 4))
  })
}
