import { isAllowed } from './allowed-settings.ts'
import { hideCredentials, splitKey } from './config-values.ts'
import type { Setting } from './parse-config.ts'
import { type RepositoryPlace, trustCommand } from './user-settings.ts'

/** Sections that only concern access to remotes, or include files that may; and such names in other sections. */
const SECTIONS: ReadonlySet<string> = new Set([
  'credential',
  'http',
  'include',
  'includeif',
  'protocol',
  'ssh',
  'url',
])
const CORE: ReadonlySet<string> = new Set(['sshcommand', 'gitproxy', 'askpass'])
export const REMOTE_PROGRAMS: ReadonlySet<string> = new Set([
  'uploadpack',
  'receivepack',
  'vcs',
  'proxy',
  'proxyauthmethod',
  'serveroption',
])

/** Keys of the repository's configuration that would change how git accesses its remotes (or this one) and are ignored. */
export function ignoredForRemotes(
  settings: readonly Setting[],
  remote?: string,
): readonly string[] {
  const ignored = settings.filter((setting) => {
    const { section, subsection, name } = splitKey(setting.key)
    // An empty value only resets what was set elsewhere.
    if (setting.value === '' || isAllowed(setting)) return false
    if (section === 'core') return CORE.has(name)
    if (section !== 'remote') return SECTIONS.has(section)
    return REMOTE_PROGRAMS.has(name) && (remote === undefined || subsection === remote)
  })
  return [...new Set(ignored.map(({ key }) => key))]
}

const MOST_NAMED = 5

/** Names the ignored keys and both remedies. */
export function explainIgnored(keys: readonly string[], place: RepositoryPlace): string {
  return `ignored in the repository's own Git configuration: ${listKeys(keys)}; ${remediesFor(place)}`
}

export function listKeys(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_NAMED).map(showKey)
  const rest = keys.length - named.length
  return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

export function remediesFor(place: RepositoryPlace): string {
  return `set them with git config --global, or trust the repository: ${trustCommand(place)}`
}

export function showKey(key: string): string {
  return hideCredentials(key)
    .replaceAll(/\p{C}|[\u2028\u2029]/gu, '?')
    .slice(0, 100)
}
