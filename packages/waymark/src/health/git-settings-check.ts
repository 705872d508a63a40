import { placeOf, readPlace } from '../git/config/git-place.ts'
import { ignoredForRemotes, listKeys, remediesFor } from '../git/config/ignored-settings.ts'
import { listSettings } from '../git/config/list-settings.ts'
import { isTrusted, parseUserSettings } from '../git/config/user-settings.ts'
import { toGitFailure } from '../git/run.ts'
import type { FoundProject } from '../core/project/found-project.ts'
import { type Check, check } from './check.ts'

/** Reports settings for remotes in the repository's own configuration, if there are any. */
export async function checkGitSettings({ root }: FoundProject): Promise<readonly Check[]> {
  const found = await check('git settings', () => look(root))
  return found.message === '' ? [] : [found]
}

async function look(root: string): Promise<Omit<Check, 'name'>> {
  const options = readPlace(root)
  const keys = ignoredForRemotes(options?.settings ?? [])
  if (options === undefined || keys.length === 0) return { status: 'ok', message: '' }
  const where = { root, commonDir: options.dirs.common }
  const listed = await listSettings(placeOf(options))
  if (listed.exitCode !== 0) throw toGitFailure(listed)
  const user = parseUserSettings(listed.stdout)
  if (isTrusted(user, where)) {
    const message = `trusted by waymark.trustedRepository: ${listKeys(keys)} of its own configuration are in force when it is synchronised`
    return { status: 'ok', message }
  }
  return {
    status: 'warning',
    message: `ignored in the repository's own Git configuration: ${listKeys(keys)}`,
    fix: remediesFor(where),
  }
}
