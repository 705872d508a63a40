import type { AddressInfo } from 'node:net'
import { LOOPBACK_HOSTS } from '../../auth/host-name.ts'
import type { Server } from '../../server/server.ts'
import type { HttpOptions } from './http-handler.ts'
import { toNodeListener } from './node-adapter.ts'

/** Where and how a server listens. */
export interface ListenOptions extends HttpOptions {
  /** 127.0.0.1 by default; anything but a loopback address needs an authenticator. */
  readonly host?: string
  /** A free port by default. */
  readonly port?: number
  /** Milliseconds that running requests get to finish when the listener closes; 5000 by default. */
  readonly graceMs?: number
}

/** A server that listens for HTTP connections. */
export interface HttpListener extends AsyncDisposable {
  readonly port: number
  /** Where clients reach the MCP endpoint. */
  readonly url: string
  /** Takes no more requests, lets running ones finish and closes every connection. */
  close(): Promise<void>
}

const DEFAULT_PATH = '/mcp'
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

/** What a connection may cost before it has proved to be good for something. */
const CONNECTION_LIMITS = {
  headersTimeout: 10_000,
  // For the request alone: an answer may be a stream that lasts for hours.
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
} as const
const MAX_CONNECTIONS = 512

/** Serves a server over HTTP on a port of its own. */
export async function listenHttp(server: Server, options: ListenOptions): Promise<HttpListener> {
  const { host = '127.0.0.1', port = 0, path = DEFAULT_PATH, graceMs } = options
  if (options.authenticator === 'none' && !LOOPBACK_ADDRESSES.has(host))
    throw new Error(`listening on ${host} needs an authenticator`)

  // Loaded here, because a server that speaks over pipes imports the same entry and should not wait for it.
  const { createServer } = await import('node:http')
  const { createHttpHandler } = await import('./http-handler.ts')
  const nodeServer = createServer(CONNECTION_LIMITS)
  nodeServer.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    nodeServer.once('error', reject).listen(port, host, resolve)
  })
  const { port: boundPort } = nodeServer.address() as AddressInfo
  const allowedHosts = options.allowedHosts ?? LOOPBACK_HOSTS.map((name) => `${name}:${boundPort}`)
  const handler = createHttpHandler(server, { ...options, path, allowedHosts })
  nodeServer.on('request', toNodeListener(handler))

  async function close(): Promise<void> {
    nodeServer.close()
    nodeServer.closeIdleConnections()
    await handler.close(graceMs)
    nodeServer.closeAllConnections()
  }

  return {
    port: boundPort,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}${path}`,
    close,
    [Symbol.asyncDispose]: close,
  }
}
