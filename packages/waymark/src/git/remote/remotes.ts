import { isEnabled, splitKey } from '../config/config-values.ts'
import { explainIgnored, ignoredForRemotes, REMOTE_PROGRAMS } from '../config/ignored-settings.ts'
import type { Setting } from '../config/parse-config.ts'
import type { RepositoryPlace } from '../config/user-settings.ts'
import { Failure } from '../../core/error.ts'
import type { Reach } from '../run.ts'
import { checkAddress } from './check-address.ts'
import { readAddressRules } from './rewrite-address.ts'

/** Settings that pass a remote to git for one fetch or push. */
export interface RemoteCall {
  /** The repository's own configuration is in force. */
  readonly isTrusted: boolean
  /** If it is not: everything that git knows about the remote. */
  readonly settings: readonly Setting[]
}

export interface RemoteAccess {
  /** Its name in git commands. */
  readonly name: string
  /** Throws if an address from the repository's configuration could run a program. */
  fetch(): RemoteCall
  push(): RemoteCall
  /** Names ignored settings of the repository that concern this remote, for reports and errors. */
  readonly hint?: string
}

export interface Remotes extends RemoteList {
  /** The user's own settings, without those of the repository. */
  readonly user: readonly Setting[]
}

interface RemoteList {
  /** Sorted. */
  readonly names: readonly string[]
  /** A remote by its name, or an address named by the caller. Addresses are checked on use. */
  access(this: void, nameOrAddress: string): RemoteAccess
}

export interface RemotesOptions {
  readonly place: RepositoryPlace
  /** The user's own settings. */
  readonly user: readonly Setting[]
  /** The repository's own configuration. */
  readonly local: readonly Setting[]
}

/** Names that no other setting refers to, so that git knows about these remotes only what we pass on. */
const SYNC_NAME = 'waymark-sync'
const PROMISOR_NAME = 'waymark-promisor'

/** The remotes of a repository whose own configuration is not in force. */
export function readRemotes({ place, user, local }: RemotesOptions): RemoteList {
  const remotes = collect([...user, ...local])
  const rules = readAddressRules(user)
  return {
    names: [...remotes.keys()].toSorted(),
    access: (given) => {
      const named = remotes.get(given)
      const { urls, pushUrls } = named ?? { urls: [given], pushUrls: [] }
      const origin = { place, ...(named && { key: `remote.${given}.url` }) }
      const callOf = (field: string, addresses: readonly string[]): RemoteCall => {
        const settings = addresses.flatMap((address) => {
          const value = checkAddress(address, origin)
          return [{ key: `remote.${SYNC_NAME}.${field}`, value }, ...rules.keep(value)]
        })
        return { isTrusted: false, settings: [...settings, ...programsOf(user, given, SYNC_NAME)] }
      }
      return {
        name: SYNC_NAME,
        // Git fetches from the first, and pushes to all.
        fetch: () => callOf('url', rules.forFetch(urls.slice(0, 1))),
        push: () => callOf('pushurl', rules.forPush(urls, pushUrls)),
        ...hintOf(ignoredForRemotes(local, given), place),
      }
    },
  }
}

/** The remotes of a trusted repository, which git knows by their own names. */
export function trustedRemotes(settings: readonly Setting[]): RemoteList {
  const call = (): RemoteCall => ({ isTrusted: true, settings: [] })
  return {
    names: [...collect(settings).keys()].toSorted(),
    access: (name) => ({ name, fetch: call, push: call }),
  }
}

/** What git needs to fetch the objects that a partial clone lacks. */
export interface PromisorAccess extends Reach {
  readonly settings: readonly Setting[]
}

export function promisorAccess({ place, user, local }: RemotesOptions): PromisorAccess {
  const rules = readAddressRules(user)
  const settings: Setting[] = []
  let refusal: Failure | undefined
  for (const [name, { urls, isPromisor }] of collect([...user, ...local])) {
    if (!isPromisor) continue
    try {
      const [address = ''] = rules.forFetch(urls)
      const checked = checkAddress(address, { place, key: `remote.${name}.url` })
      const alias = `${PROMISOR_NAME}-${settings.length}`
      settings.push(...toPromisor(alias, checked))
      settings.push(...rules.keep(checked), ...programsOf(user, name, alias))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refusal ??= error
    }
  }
  if (settings.length === 0 && refusal !== undefined) {
    // Git still has to try, so that a missing object fails with the reason and not as if it did not exist.
    return { settings: toPromisor(PROMISOR_NAME, 'https://refused.invalid'), refusal }
  }
  return { settings, mayReachOut: true, ...hintOf(ignoredForRemotes(local), place) }
}

function hintOf(ignored: readonly string[], place: RepositoryPlace): Pick<Reach, 'hint'> {
  return ignored.length === 0 ? {} : { hint: explainIgnored(ignored, place) }
}

function toPromisor(alias: string, url: string): readonly Setting[] {
  return [
    { key: `remote.${alias}.url`, value: url },
    { key: `remote.${alias}.promisor`, value: 'true' },
    // Otherwise git records the filter of its first fetch in the configuration.
    { key: `remote.${alias}.partialclonefilter`, value: 'blob:none' },
  ]
}

interface RemoteSettings {
  readonly urls: string[]
  readonly pushUrls: string[]
  isPromisor: boolean
}

/** Remotes with an address, by their name. */
function collect(settings: readonly Setting[]): ReadonlyMap<string, RemoteSettings> {
  const remotes = new Map<string, RemoteSettings>()
  const promisor = settings.findLast(({ key }) => key === 'extensions.partialclone')?.value
  for (const { key, value } of settings) {
    const { section, subsection: remote, name } = splitKey(key)
    if (section !== 'remote' || remote === undefined) continue
    const known = remotes.get(remote) ?? { urls: [], pushUrls: [], isPromisor: remote === promisor }
    remotes.set(remote, known)
    if (name === 'url') addTo(known.urls, value)
    else if (name === 'pushurl') addTo(known.pushUrls, value)
    else if (name === 'promisor') known.isPromisor = isEnabled(value)
  }
  return new Map([...remotes].filter(([, { urls }]) => urls.length > 0))
}

/** An empty value resets the list. */
function addTo(addresses: string[], value: string): void {
  if (value === '') addresses.length = 0
  else addresses.push(value)
}

/** The user's own settings for a remote of this name also apply under the alias. */
function programsOf(user: readonly Setting[], remote: string, alias: string): readonly Setting[] {
  return user.flatMap(({ key, value }) => {
    const { section, subsection, name } = splitKey(key)
    const isMeant = section === 'remote' && subsection === remote && REMOTE_PROGRAMS.has(name)
    return isMeant ? [{ key: `remote.${alias}.${name}`, value }] : []
  })
}
