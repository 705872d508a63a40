/** The host of a `Host` header or an origin. */
export interface HostAndPort {
  /** Lower case; IPv6 addresses in brackets. */
  readonly host: string
  /** Undefined for the default port of the scheme. */
  readonly port: number | undefined
}

const MAX_LENGTH = 255 + ':65535'.length
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9][0-9]{0,4}))?$/

/**
 * Parses a host strictly. User names, paths, trailing dots, spaces and lists do not match the grammar, so no proxy in
 * front of this server can have parsed the same text as another host.
 */
export function parseHost(text: string): HostAndPort | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, host, digits] = HOST_AND_PORT.exec(text.toLowerCase()) ?? []
  if (host === undefined) return undefined
  const port = digits === undefined ? undefined : Number(digits)
  return port !== undefined && port > 65_535 ? undefined : { host, port }
}

/** The names of the loopback interface; other notations of the same addresses are not accepted. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
