import type { RequestListener, Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LOOPBACK_HOSTS } from '../../../auth/host-name.ts'
import { createDeferred } from '../../../internal/deferred.ts'
import type { Awaitable } from '../../../server/call-context.ts'
import type { Server } from '../../../server/server.ts'
import { ConnectionLimiter } from './connection-limiter.ts'
import type { HttpOptions } from '../http-handler.ts'
import type { HttpHandler } from '../http-app.ts'
import { toNodeListener } from './node-adapter.ts'
import { BodyTimeout } from './body-timeout.ts'

/** Where to listen, and limits of connections. */
export interface AddressOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string
  /** A free port by default. */
  readonly port?: number
  /**
   * Milliseconds that running requests have to finish when the listener closes; 5000 by default. Then they are aborted and
   * have half a second to respond, and clients have another half second to read the responses.
   */
  readonly graceMs?: number
  readonly connections?: ConnectionLimits
}

/** Limits of connections. */
export interface ConnectionLimits {
  /**
   * Maximum number of open connections; 2048 by default. When it is exceeded, the connection that has gone longest without
   * a complete request is closed, but never one with a response in progress, such as an event stream.
   */
  readonly maxOpen?: number
  /** Milliseconds within which the headers of a request must arrive; 10 000 by default. */
  readonly headersMs?: number
  /**
   * Milliseconds within which a request must arrive completely; 30 000 by default. The response may take longer. For a body
   * that is streamed, this is the longest pause between two chunks.
   */
  readonly requestMs?: number
  /** Milliseconds that a connection may be idle between two requests; 30 000 by default. */
  readonly idleMs?: number
}

/** Options of `listenHttp`; any other than a loopback address needs an authenticator. */
export interface ListenOptions extends HttpOptions, AddressOptions {}

/** The bound port, and the allowed hosts for it on the loopback interface. */
export interface BoundAddress {
  readonly port: number
  readonly allowedHosts: readonly string[]
}

/** A listening server. */
export interface HttpListener extends AsyncDisposable {
  readonly port: number
  /** The URL for clients. */
  readonly url: string
  /** Refuses new requests, lets running ones finish and closes all connections. */
  close(): Promise<void>
}

const DEFAULT_PATH = '/mcp'
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

const DEFAULT_LIMITS: Required<ConnectionLimits> = {
  maxOpen: 2048,
  headersMs: 10_000,
  requestMs: 30_000,
  // A request that is sent at the moment of the idle timeout is lost; few clients pause for just half a minute.
  idleMs: 30_000,
}
const MAX_HEADER_BYTES = 16 * 1024
/** The longest interval between two checks of the timeouts. */
const CHECK_MS = 2_000

/** Serves a server over HTTP on its own port. */
export async function listenHttp(server: Server, options: ListenOptions): Promise<HttpListener> {
  const { host = '127.0.0.1', path = DEFAULT_PATH } = options
  if (options.authenticator === 'none' && !LOOPBACK_ADDRESSES.has(host))
    throw new Error(`listening on ${host} needs an authenticator`)
  const listener = await listenHandler(options, async ({ allowedHosts }) => {
    const { createHttpHandler } = await import('../http-handler.ts')
    return createHttpHandler(server, { allowedHosts, ...options, path })
  })
  return { ...listener, url: `${listener.url}${path}` }
}

/** Serves a handler on its own port. It is created when the port is known, because allowed hosts include the port. */
export async function listenHandler(
  { host = '127.0.0.1', port = 0, graceMs, connections = {} }: AddressOptions,
  create: (bound: BoundAddress) => Awaitable<HttpHandler>,
): Promise<HttpListener> {
  // Imported lazily, because stdio servers import the same entry and do not need it.
  const { createServer } = await import('node:http')
  const limits = { ...DEFAULT_LIMITS, ...connections }
  const limiter = new ConnectionLimiter(limits.maxOpen)
  // Zero means no timeout; the timeout of the request includes its headers.
  const headersTimeout = Math.min(
    limits.headersMs || limits.requestMs,
    limits.requestMs || limits.headersMs,
  )
  const nodeServer = createServer({
    headersTimeout,
    // Node would also abort a long upload that makes progress, so `BodyTimeout` watches bodies instead.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersTimeout || CHECK_MS),
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  nodeServer.on('connection', (socket) => limiter.connectionOpened(socket))
  const created = createDeferred<RequestListener>()
  // Requests that arrive before the handler is created wait for it.
  let listener: RequestListener = (request, response) =>
    void created.promise.then((serve) => serve(request, response))
  nodeServer.on('request', (request, response) => {
    limiter.requestStarted(response)
    listener(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    nodeServer.once('error', reject).listen(port, host, resolve)
  })
  const { port: boundPort } = nodeServer.address() as AddressInfo
  const allowedHosts = LOOPBACK_HOSTS.map((name) => `${name}:${boundPort}`)
  const handler = await createOrClose(nodeServer, () => create({ port: boundPort, allowedHosts }))
  listener = toNodeListener(handler)
  created.resolve(listener)
  const stopWatching = watchBodies(limiter, limits.requestMs)

  async function close(): Promise<void> {
    nodeServer.close()
    nodeServer.closeIdleConnections()
    await handler.close(graceMs)
    stopWatching()
    nodeServer.closeAllConnections()
  }

  return {
    port: boundPort,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Closes the listening socket if the handler cannot be created, so that it does not keep the process alive. */
async function createOrClose(
  nodeServer: NodeServer,
  create: () => Awaitable<HttpHandler>,
): Promise<HttpHandler> {
  try {
    return await create()
  } catch (error) {
    nodeServer.close()
    nodeServer.closeAllConnections()
    throw error
  }
}

/** Applies the timeout of request bodies; returns the function that stops it. */
function watchBodies(limiter: ConnectionLimiter, limitMs: number): () => void {
  if (limitMs === 0) return () => {}
  const timeout = new BodyTimeout(limitMs)
  const check = (): void => timeout.check(limiter.responses(), performance.now())
  const timer = setInterval(check, Math.min(CHECK_MS, limitMs)).unref()
  return () => clearInterval(timer)
}
