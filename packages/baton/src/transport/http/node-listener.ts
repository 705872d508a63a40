import type { RequestListener, Server as NodeServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LOOPBACK_HOSTS } from '../../auth/host-name.ts'
import { createDeferred } from '../../internal/deferred.ts'
import type { Awaitable } from '../../server/call-context.ts'
import type { Server } from '../../server/server.ts'
import { ConnectionPlaces } from './connection-places.ts'
import type { HttpOptions } from './http-handler.ts'
import type { HttpHandler } from './http-site.ts'
import { toNodeListener } from './node-adapter.ts'
import { RequestPatience } from './request-patience.ts'

/** Where something listens. */
export interface AddressOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string
  /** A free port by default. */
  readonly port?: number
  /**
   * Milliseconds that running requests get to finish when the listener closes; 5000 by default. Then they are told to
   * stop, have half a second to answer, and clients have another to read what there is.
   */
  readonly graceMs?: number
  readonly connections?: ConnectionLimits
}

/** What connections may cost before they have proved to be good for something. */
export interface ConnectionLimits {
  /**
   * Connections open at once, 2048 by default. When there are more, the one that has gone longest without a whole request
   * is cut; those that are being answered, event streams for one, are never.
   */
  readonly maxOpen?: number
  /** Milliseconds in which the headers of a request have to come; 10 000 by default. */
  readonly headersMs?: number
  /**
   * Milliseconds in which all of a request has to come, while its answer may take hours; 30 000 by default. Of a body that
   * an endpoint reads as a stream, something has to come in this time.
   */
  readonly requestMs?: number
  /** Milliseconds that a connection may stay open between two requests; 30 000 by default. */
  readonly idleMs?: number
}

/** Where and how a server listens; anything but a loopback address needs an authenticator. */
export interface ListenOptions extends HttpOptions, AddressOptions {}

/** The port that was found, and the names under which this machine reaches itself there. */
export interface BoundAddress {
  readonly port: number
  readonly allowedHosts: readonly string[]
}

/** A server that listens for HTTP connections. */
export interface HttpListener extends AsyncDisposable {
  readonly port: number
  /** Where clients reach it. */
  readonly url: string
  /** Takes no more requests, lets running ones finish and closes every connection. */
  close(): Promise<void>
}

const DEFAULT_PATH = '/mcp'
const LOOPBACK_ADDRESSES: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

const DEFAULT_LIMITS: Required<ConnectionLimits> = {
  maxOpen: 2048,
  headersMs: 10_000,
  requestMs: 30_000,
  // A call that is sent in the moment in which we close is lost; most clients never come so close to half a minute.
  idleMs: 30_000,
}
const MAX_HEADER_BYTES = 16 * 1024
/** How often the times are checked, at the least. */
const CHECK_MS = 2_000

/** Serves a server over HTTP on a port of its own. */
export async function listenHttp(server: Server, options: ListenOptions): Promise<HttpListener> {
  const { host = '127.0.0.1', path = DEFAULT_PATH } = options
  if (options.authenticator === 'none' && !LOOPBACK_ADDRESSES.has(host))
    throw new Error(`listening on ${host} needs an authenticator`)
  const listener = await listenHandler(options, async ({ allowedHosts }) => {
    const { createHttpHandler } = await import('./http-handler.ts')
    return createHttpHandler(server, { allowedHosts, ...options, path })
  })
  return { ...listener, url: `${listener.url}${path}` }
}

/** Lets a handler listen on a port of its own; it is made once the port is known, as hosts are checked with their port. */
export async function listenHandler(
  { host = '127.0.0.1', port = 0, graceMs, connections = {} }: AddressOptions,
  create: (bound: BoundAddress) => Awaitable<HttpHandler>,
): Promise<HttpListener> {
  // Loaded here, because a server that speaks over pipes imports the same entry and should not wait for it.
  const { createServer } = await import('node:http')
  const limits = { ...DEFAULT_LIMITS, ...connections }
  const places = new ConnectionPlaces(limits.maxOpen)
  // Zero is for ever, and headers are a part of the request.
  const headersTimeout = Math.min(
    limits.headersMs || limits.requestMs,
    limits.requestMs || limits.headersMs,
  )
  const nodeServer = createServer({
    headersTimeout,
    // Node would also cut a long stream that is well under way, so bodies are watched here.
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersTimeout || CHECK_MS),
    maxHeaderSize: MAX_HEADER_BYTES,
  })
  nodeServer.on('connection', (socket) => places.open(socket))
  const created = createDeferred<RequestListener>()
  // Whoever comes before there is a handler has to wait for it.
  let listener: RequestListener = (request, response) =>
    void created.promise.then((serve) => serve(request, response))
  nodeServer.on('request', (request, response) => {
    places.ask(response)
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
  const stopWatching = watchRequests(places, limits.requestMs)

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

/** A server without a handler must not keep its process alive. */
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

/** Cuts requests that do not come to an end; returns the way to stop. */
function watchRequests(places: ConnectionPlaces, limitMs: number): () => void {
  if (limitMs === 0) return () => {}
  const patience = new RequestPatience(limitMs)
  const check = (): void => patience.check(places.answers(), performance.now())
  const timer = setInterval(check, Math.min(CHECK_MS, limitMs)).unref()
  return () => clearInterval(timer)
}
