import { homedir } from 'node:os'
import { Failure } from '../../error.ts'

/** The kinds of addresses, as git tells them apart. */
export type Address =
  /** Another machine, through a protocol that is part of git. */
  | { readonly kind: 'network' }
  /** A file or folder of this machine; relative paths start at the folder that git is started in. */
  | { readonly kind: 'path'; readonly path: string }
  /** Served by a remote helper that is not part of git. */
  | { readonly kind: 'helper'; readonly program: string }

const SCHEME = '[A-Za-z0-9][A-Za-z0-9+.-]*'
const HELPER = new RegExp(`^((?:${SCHEME})?)::`)
const URL_SCHEME = new RegExp(`^(${SCHEME})://`)

/** Case-sensitive, as in git. */
const NETWORK: ReadonlySet<string> = new Set(['git', 'git+ssh', 'http', 'https', 'ssh', 'ssh+git'])

export function parseAddress(address: string): Address {
  const helper = HELPER.exec(address)?.[1]
  if (helper !== undefined) return { kind: 'helper', program: `git-remote-${helper}` }
  const scheme = URL_SCHEME.exec(address)?.[1]
  if (scheme === 'file') return { kind: 'path', path: parseFileUrl(address) }
  if (scheme !== undefined) {
    return NETWORK.has(scheme)
      ? { kind: 'network' }
      : { kind: 'helper', program: `git-remote-${scheme}` }
  }
  // `host:path`, but not a drive letter of Windows.
  const isDrive = process.platform === 'win32' && /^[A-Za-z]:/.test(address)
  if (/^[^/]*:/.test(address) && !isDrive) return { kind: 'network' }
  return { kind: 'path', path: expandHome(address) }
}

/** Decodes as git does: `%2F` is a slash like any other, and a host is the first component of the path. */
function parseFileUrl(url: string): string {
  const path = decodePercent(url.slice('file://'.length))
  if (path.startsWith('/')) {
    return process.platform === 'win32' ? path.replace(/^\/+(?=[A-Za-z]:)/, '') : path
  }
  const isDrive = process.platform === 'win32' && /^[A-Za-z]:/.test(path)
  return isDrive ? path : `//${path}`
}

function decodePercent(text: string): string {
  const parts = text
    .split(/(%(?!00)[0-9A-Fa-f]{2})/)
    .map((part, at) => (at % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part)))
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts))
  } catch {
    throw new Failure('invalid_input', 'the address of the remote is not valid UTF-8')
  }
}

/** Expands `~/x` as git does. */
export function expandHome(path: string): string {
  if (!path.startsWith('~')) return path
  const rest = /^~(?=$|\/)/.exec(path) === null ? undefined : path.slice(1)
  if (rest === undefined) {
    throw new Failure(
      'invalid_input',
      `the address ${path.slice(0, 200)} names the home of a user; write its path in full`,
    )
  }
  return `${homedir()}${rest}`
}
