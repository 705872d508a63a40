import { memoize } from '../internal/memoize.ts'
import type { Denial } from './denial.ts'
import { type HostAndPort, LOOPBACK_HOSTS, parseHost } from './host-name.ts'

/** Which hosts and origins may talk to the server. */
export interface RequestGuardOptions {
  /**
   * Exact `host` or `host:port` values; `host:*` allows any port. By default the loopback names on any port; a listener
   * narrows that to its own port.
   */
  readonly allowedHosts?: readonly string[]
  /** Exact origins besides the server's own, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[]
}

/** The headers that the guard checks; repeated headers are joined with a comma, as in `Headers`. */
export interface GuardedRequest {
  readonly host: string | null
  readonly origin: string | null
  readonly scheme: 'http' | 'https'
}

/** Denies requests with a foreign host or origin; `undefined` if the request is allowed. */
export type RequestGuard = (request: GuardedRequest) => Denial | undefined

const ANY_PORT = '*'
const DEFAULT_HOSTS = LOOPBACK_HOSTS.map((host) => `${host}:${ANY_PORT}`)

/**
 * Guards against DNS rebinding and cross-origin requests. Both checks are needed: a rebound name shows in `Host`, a page
 * of another origin that calls the right name shows only in `Origin`.
 */
export function createRequestGuard({
  allowedHosts = DEFAULT_HOSTS,
  allowedOrigins = [],
}: RequestGuardOptions = {}): RequestGuard {
  const hosts = new Set(allowedHosts.map(toAllowedHost))
  const origins = new Set(allowedOrigins.map(toAllowedOrigin))
  const checkHost = memoize((host) => {
    const parsed = parseHost(host)
    return parsed !== undefined && isAllowedHost(parsed, hosts) ? parsed : FOREIGN_HOST
  })
  return ({ host, origin, scheme }) => {
    const parsed = checkHost(host ?? '')
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

/** Browsers omit the default port of the scheme, in `Host` as well as in `Origin`. */
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
    throw new Error(`allowed host "${text}" is a listen address, not a host name of the server`)
  return anyPort ? `${parsed.host}:${ANY_PORT}` : toText(parsed)
}

function toAllowedOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text)
    throw new Error(`allowed origin "${text}" is not of the form scheme://host[:port]`)
  return text
}
