import { sep } from 'node:path'
import { Failure } from '../../error.ts'
import { hideCredentials } from '../config/config-values.ts'
import { showKey } from '../config/ignored-settings.ts'
import { type RepositoryPlace, trustCommand } from '../config/user-settings.ts'
import { parseAddress } from './parse-address.ts'
import { isInside, resolveFolder } from './resolve-folder.ts'

export interface AddressOrigin {
  readonly place: RepositoryPlace
  /** The repository's setting that contains the address; absent if the caller named the address. */
  readonly key?: string
}

/**
 * Checks an address and returns the one to pass to git: for a folder of this machine its real path, so that git uses the
 * folder that was checked. An address from the repository's configuration must not lead into the repository itself,
 * which has chosen the hooks there, nor need a remote helper that is not part of git.
 */
export function checkAddress(address: string, { place, key }: AddressOrigin): string {
  if (address.trim() === '' || address.startsWith('-') || /\p{Cc}/u.test(address)) {
    throw new Failure(
      'invalid_input',
      `${named(key)}: must be the path or address of a repository`,
      {
        details: { field: 'remote', value: hideCredentials(address).slice(0, 100) },
      },
    )
  }
  const parsed = parseAddress(address)
  if (parsed.kind === 'network') return address
  if (parsed.kind === 'helper') {
    if (key === undefined) return address
    throw untrustedAddress(key, `would start ${parsed.program}, which is not part of Git`, place)
  }
  const local = resolveFolder(parsed.path, place.root)
  if (local === undefined) throw noRepository(address)
  if (key !== undefined && isInside(local.gitDirs, place)) {
    throw untrustedAddress(key, 'leads into the repository itself, whose hooks would run', place)
  }
  // Git takes slashes everywhere.
  return local.path.replaceAll(sep, '/')
}

function untrustedAddress(key: string, problem: string, place: RepositoryPlace): Failure {
  const shown = named(key)
  return new Failure(
    'forbidden',
    `${shown} ${problem}; name another address, or trust the repository: ${trustCommand(place)}`,
    { details: { reason: 'untrusted_setting', key: shown } },
  )
}

function noRepository(address: string): Failure {
  const shown = address.slice(0, 200)
  return new Failure(
    'storage_unavailable',
    `git: '${shown}' is not a Git repository; check the address of the remote`,
    {
      details: { reason: 'git' },
    },
  )
}

function named(key: string | undefined): string {
  return key === undefined ? 'remote' : showKey(key)
}
