import { rememberVerdicts } from '../internal/verdict-cache.ts'
import type { Denial } from './denial.ts'
import { type HostAndPort, LOOPBACK_HOSTS, parseHost } from './host-name.ts'

/** Which hosts and origins may talk to the server. */
export interface RequestGuardOptions {
  /**
   * Exact `host` or `host:port` values; `host:*` leaves the port open. By default the loopback names on any port, which a
   * listener that knows its port narrows down.
   */
  readonly allowedHosts?: readonly string[]
  /** Exact origins besides the server's own, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
}

/** What the guard looks at; several headers of one name come joined by a comma, as in `Headers`. */
export interface GuardedRequest {
  readonly host: string | null
  readonly origin: string | null
  readonly scheme: 'http' | 'https'
}

/** Refuses requests from foreign hosts and origins; `undefined` lets one through. */
export type RequestGuard = (request: GuardedRequest) => Denial | undefined

const ANY_PORT = '*'
const DEFAULT_HOSTS = LOOPBACK_HOSTS.map((host) => `${host}:${ANY_PORT}`)

/**
 * Guards against DNS rebinding and foreign pages. Both checks are needed: a rebound name shows in `Host`, a page that
 * calls us under our right name shows only in `Origin`.
 */
export function createRequestGuard({
  allowedHosts = DEFAULT_HOSTS,
  allowedOrigins = [],
}: RequestGuardOptions = {}): RequestGuard {
  const hosts = new Set(allowedHosts.map(toAllowedHost))
  const origins = new Set(allowedOrigins.map(toAllowedOrigin))
  const judgeHost = rememberVerdicts((host) => {
    const parsed = parseHost(host)
    return parsed !== undefined && isAllowedHost(parsed, hosts) ? parsed : FOREIGN_HOST
  })
  return ({ host, origin, scheme }) => {
    const parsed = judgeHost(host ?? '')
    if ('status' in parsed) return parsed
    if (origin === null || origins.has(origin)) return undefined
    return origin === toOrigin(scheme, parsed) ? undefined : FOREIGN_ORIGIN
  }
}

const FOREIGN_HOST: Denial = { status: 403, message: 'host is not allowed', headers: {} }
const FOREIGN_ORIGIN: Denial = { status: 403, message: 'origin is not allowed', headers: {} }

function isAllowedHost(parsed: HostAndPort, allowed: ReadonlySet<string>): boolean {
  return allowed.has(toText(parsed)) || allowed.has(`${parsed.host}:${ANY_PORT}`)
}

/** Browsers leave out the scheme's own port, in `Host` as well as in `Origin`. */
function toOrigin(scheme: GuardedRequest['scheme'], { host, port }: HostAndPort): string {
  const isImplied = port === (scheme === 'https' ? 443 : 80)
  return `${scheme}://${isImplied ? host : toText({ host, port })}`
}

function toText({ host, port }: HostAndPort): string {
  return port === undefined ? host : `${host}:${port}`
}

function toAllowedHost(text: string): string {
  const anyPort = text.endsWith(`:${ANY_PORT}`)
  const parsed = parseHost(anyPort ? text.slice(0, -2) : text)
  if (parsed === undefined) throw new Error(`allowed host "${text}" is not a host name`)
  if (parsed.host === '0.0.0.0' || parsed.host === '[::]')
    throw new Error(`allowed host "${text}" is an address to listen on, not a name to be called by`)
  return anyPort ? `${parsed.host}:${ANY_PORT}` : toText(parsed)
}

function toAllowedOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new Error(`allowed origin "${text}" is not of the form scheme://host[:port]`)
  return text
}
