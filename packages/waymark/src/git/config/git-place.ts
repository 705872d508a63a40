import { join } from 'node:path'
import type { GitDirs } from '../../files/git-dirs.ts'
import type { GitPlace } from '../run.ts'
import { isAllowed } from './allowed-settings.ts'
import type { Setting } from './parse-config.ts'
import { formatFolder } from './repository-format.ts'

export interface PlaceOptions {
  readonly root: string
  readonly dirs: GitDirs
  /** What the repository's own configuration says. */
  readonly settings: readonly Setting[]
}

/**
 * How git is started in a repository: with its objects, refs and index, and with the configuration of the person who
 * runs it, but without the configuration of the repository, of which only allowed settings are passed on.
 *
 * Git takes the configuration from GIT_COMMON_DIR, for which we have a folder of our own. With it, GIT_DIR must be
 * named, and so must all that git would look for in the shared folder otherwise.
 */
export function placeOf({ root, dirs: { own, common }, settings }: PlaceOptions): GitPlace {
  return {
    cwd: root,
    variables: {
      GIT_DIR: own,
      GIT_COMMON_DIR: formatFolder(settings),
      GIT_OBJECT_DIRECTORY: join(common, 'objects'),
      GIT_SHALLOW_FILE: join(common, 'shallow'),
      ...(own === root ? { GIT_IMPLICIT_WORK_TREE: '0' } : { GIT_WORK_TREE: root }),
    },
    settings: settings.filter(isAllowed),
  }
}

/** How git is started outside of any repository: it shall not look for one in the folders above. */
export function placeOutside(cwd: string): GitPlace {
  return { cwd, variables: { GIT_DIR: formatFolder([]) }, settings: [] }
}

/** How git is started in a repository that is trusted: it finds everything itself, the configuration too. */
export function trustedPlaceOf(root: string): GitPlace {
  return { cwd: root, variables: {}, settings: [] }
}
