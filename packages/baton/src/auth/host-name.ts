/** A host as it stands in a `Host` header or an origin. */
export interface HostAndPort {
  /** Lower case; IPv6 addresses in brackets. */
  readonly host: string
  /** Absent when the text names none: the scheme's own port is meant. */
  readonly port: number | undefined
}

const LONGEST = 255 + ':65535'.length
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([1-9][0-9]{0,4}))?$/

/**
 * Reads a host strictly. User names, paths, trailing dots, spaces and lists do not fit the grammar, so no parser in front
 * of us can have read the same text as another host.
 */
export function parseHost(text: string): HostAndPort | undefined {
  if (text.length > LONGEST) return undefined
  const [, host, digits] = HOST_AND_PORT.exec(text.toLowerCase()) ?? []
  if (host === undefined) return undefined
  const port = digits === undefined ? undefined : Number(digits)
  return port !== undefined && port > 65_535 ? undefined : { host, port }
}

/** The names under which a machine reaches itself; other spellings of the same addresses are not accepted. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
