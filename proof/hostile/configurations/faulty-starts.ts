import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf, trustedPlaceOf } from '../../../packages/waymark/src/git/config/git-place.ts'
import type { Setting } from '../../../packages/waymark/src/git/config/parse-config.ts'
import { readConfig } from '../../../packages/waymark/src/git/config/repository-config.ts'
import { type GitPlace, runGit } from '../../../packages/waymark/src/git/run.ts'
import { type Configuration, type Ground, OWN_REF } from './ground.ts'

interface Start extends Ground {
  /** What our own place is. */
  readonly place: GitPlace
  readonly settings: readonly Setting[]
  readonly configuration: Configuration
}

type FaultyStart = (start: Start) => GitPlace | undefined

const isRemote = ({ key }: Setting): boolean => /^remote\..*\.(?:url|promisor)$/s.test(key)

const DANGEROUS = /^(?:core\.sshcommand|remote\..*\.(?:uploadpack|receivepack|vcs)|include.*)$/

/** How others have started git in a repository that they did not make. */
export const FAULTY_STARTS: Readonly<Record<string, FaultyStart>> = {
  configuration_in_force: ({ root }) => trustedPlaceOf(root),
  programs_allowed: ({ place, settings }) => ({
    ...place,
    settings: settings.filter(({ key }) => key.startsWith('remote.')),
  }),
  includes_followed: ({ place, settings, gitDir }) => ({
    ...place,
    settings: settings
      .filter((setting) => isRemote(setting) || setting.key.startsWith('include'))
      .map(({ key, value }) => ({ key, value: value === 'more' ? join(gitDir, value) : value })),
  }),
  worktree_configuration_read: ({ place, settings, gitDir }) => {
    const common = join(gitDir, 'common')
    mkdirSync(join(common, 'refs'), { recursive: true })
    writeFileSync(
      join(common, 'config'),
      '[core]\n\trepositoryFormatVersion = 0\n[extensions]\n\tworktreeConfig = true\n',
    )
    return {
      ...place,
      variables: { ...place.variables, GIT_COMMON_DIR: common },
      settings: settings.filter(isRemote),
    }
  },
  // A list of what is dangerous instead of what is allowed, by an expression whose dot leaves out some characters.
  expression_with_dots: ({ root, settings }) =>
    settings.some(({ key }) => DANGEROUS.test(key)) ? undefined : trustedPlaceOf(root),
  address_compared_as_text: ({ place, settings, configuration: { address }, root }) => {
    const path = address.replace('file://', '')
    const isInside = path.startsWith('.git') || path.startsWith(`${root}/.git`)
    return isInside ? undefined : { ...place, settings: settings.filter(isRemote) }
  },
}

/** What Waymark does with a remote, done by a git that was started so. */
export async function startFaulty(
  fault: string,
  ground: Ground,
  configuration: Configuration,
): Promise<void> {
  const { root, gitDir } = ground
  const dirs = { own: gitDir, common: gitDir }
  const settings = readConfig(dirs)
  const own = placeOf({ root, dirs, settings })
  const place = FAULTY_STARTS[fault]?.({ ...ground, place: own, settings, configuration })
  if (place === undefined) return
  const { name } = configuration
  await runGit(['fetch', '--quiet', name], { ...place, mayReachOut: true })
  await runGit(['push', '--quiet', name, `${OWN_REF}:refs/heads/pushed`], {
    ...place,
    mayReachOut: true,
  })
}
