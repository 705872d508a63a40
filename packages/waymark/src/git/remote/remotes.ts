import { isEnabled, splitKey } from '../config/config-values.ts'
import { explainIgnored, ignoredForRemotes, REMOTE_PROGRAMS } from '../config/ignored-settings.ts'
import type { Setting } from '../config/parse-config.ts'
import type { RepositoryPlace } from '../config/user-settings.ts'
import { Failure } from '../../error.ts'
import type { Reach } from '../run.ts'
import { checkAddress } from './check-address.ts'
import { readAddressRules } from './rewrite-address.ts'

/** How git is told of a remote that it shall talk to. */
export interface RemoteCall {
  /** The repository's own configuration is in force. */
  readonly isTrusted: boolean
  /** Otherwise, all that git knows of the remote. */
  readonly settings: readonly Setting[]
}

export interface RemoteAccess {
  /** What the commands of git call it. */
  readonly name: string
  /** Refuses addresses of the repository's own choice that could run a program. */
  fetch(): RemoteCall
  push(): RemoteCall
  /** Settings of the repository that concern this remote and are not in force. */
  readonly ignored: readonly string[]
  /** What to say when it cannot be reached. */
  readonly hint?: string
}

export interface Remotes {
  /** In the order of the alphabet. */
  readonly names: readonly string[]
  /** A remote by its name, or an address that the caller has chosen. Addresses are checked when they are used. */
  access(this: void, nameOrAddress: string): RemoteAccess
}

export interface RemotesOptions {
  readonly place: RepositoryPlace
  /** Settings of the person and the machine. */
  readonly user: readonly Setting[]
  /** What the repository's own configuration says. */
  readonly own: readonly Setting[]
}

/** Names under which git knows nothing else: what it is told of a remote is all that it is. */
const SYNC_NAME = 'waymark-sync'
const PROMISOR_NAME = 'waymark-promisor'

/** The remotes of a repository whose own configuration is not in force. */
export function readRemotes({ place, user, own }: RemotesOptions): Remotes {
  const remotes = collect([...user, ...own])
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
      const ignored = ignoredForRemotes(own, given)
      return {
        name: SYNC_NAME,
        // Git fetches from the first, and pushes to all.
        fetch: () => callOf('url', rules.forFetch(urls.slice(0, 1))),
        push: () => callOf('pushurl', rules.forPush(urls, pushUrls)),
        ignored,
        ...(ignored.length > 0 && { hint: explainIgnored(ignored, place) }),
      }
    },
  }
}

/** The remotes of a repository that is trusted, by the names that git knows them by. */
export function trustedRemotes(settings: readonly Setting[]): Remotes {
  const call = (): RemoteCall => ({ isTrusted: true, settings: [] })
  return {
    names: [...collect(settings).keys()].toSorted(),
    access: (name) => ({ name, fetch: call, push: call, ignored: [] }),
  }
}

/** What git needs to get the objects that a partial clone lacks, from where the clone came from. */
export interface PromisorAccess extends Reach {
  readonly settings: readonly Setting[]
}

export function promisorAccess({ place, user, own }: RemotesOptions): PromisorAccess {
  const rules = readAddressRules(user)
  const settings: Setting[] = []
  let refusal: Failure | undefined
  for (const [name, { urls, isPromisor }] of collect([...user, ...own])) {
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
    // Git must still look for what is missing, and find that it may not: then it is known why it is.
    return { settings: toPromisor(PROMISOR_NAME, 'https://refused.invalid'), refusal }
  }
  const ignored = ignoredForRemotes(own)
  const hint = ignored.length > 0 && { hint: explainIgnored(ignored, place) }
  return { settings, mayReachOut: true, ...hint }
}

function toPromisor(alias: string, url: string): readonly Setting[] {
  return [
    { key: `remote.${alias}.url`, value: url },
    { key: `remote.${alias}.promisor`, value: 'true' },
    // Without one git would write into the configuration which one it has used.
    { key: `remote.${alias}.partialclonefilter`, value: 'blob:none' },
  ]
}

interface RemoteSettings {
  readonly urls: string[]
  readonly pushUrls: string[]
  isPromisor: boolean
}

/** Remotes by their name, those that have an address. */
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

/** An empty value takes back those before it. */
function addTo(addresses: string[], value: string): void {
  if (value === '') addresses.length = 0
  else addresses.push(value)
}

/** What the person has set up for a remote of this name holds for it under the name that we give it, too. */
function programsOf(user: readonly Setting[], remote: string, alias: string): readonly Setting[] {
  return user.flatMap(({ key, value }) => {
    const { section, subsection, name } = splitKey(key)
    const isMeant = section === 'remote' && subsection === remote && REMOTE_PROGRAMS.has(name)
    return isMeant ? [{ key: `remote.${alias}.${name}`, value }] : []
  })
}
