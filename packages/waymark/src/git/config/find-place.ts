import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisorAccess, readRemotes, type Remotes, trustedRemotes } from '../remote/remotes.ts'
import { askGit, askGitNow, type GitPlace, toGitFailure } from '../run.ts'
import { type PlaceOptions, placeOf, trustedPlaceOf } from './git-place.ts'
import { LIST_SETTINGS, listSettings } from './list-settings.ts'
import { isTrusted, parseListed, parseUserSettings } from './user-settings.ts'

/**
 * How git is started in a repository. In a partial clone every command may fetch a missing object, so that git is told
 * of the promisor remotes as well.
 */
export function findPlace(options: PlaceOptions): GitPlace {
  const own = placeOf(options)
  return isPartialClone(options.dirs.common) ? withPromisors(own, options) : own
}

function withPromisors(own: GitPlace, { root, dirs, settings }: PlaceOptions): GitPlace {
  const place = { root, commonDir: dirs.common }
  const user = parseUserSettings(askGitNow(LIST_SETTINGS, own) ?? '')
  if (isTrusted(user, place)) return { ...trustedPlaceOf(root), mayReachOut: true }
  const { settings: added, ...reach } = promisorAccess({ place, user, local: settings })
  return { ...own, ...reach, settings: [...own.settings, ...added] }
}

/** Whether missing objects are fetched on demand. */
function isPartialClone(commonDir: string): boolean {
  try {
    const packs = readdirSync(join(commonDir, 'objects', 'pack'))
    return packs.some((name) => name.endsWith('.promisor'))
  } catch {
    return false
  }
}

/** The remotes of a repository, and the settings that pass them to git. */
export async function findRemotes({ root, dirs, settings }: PlaceOptions): Promise<Remotes> {
  const place = { root, commonDir: dirs.common }
  const listed = await listSettings(placeOf({ root, dirs, settings }))
  if (listed.exitCode !== 0) throw toGitFailure(listed)
  const user = parseUserSettings(listed.stdout)
  if (!isTrusted(user, place)) return { ...readRemotes({ place, user, local: settings }), user }
  const trusted = parseListed(await askGit(LIST_SETTINGS, trustedPlaceOf(root)))
  return { ...trustedRemotes(trusted), user }
}
