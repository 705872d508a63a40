import { join } from 'node:path'
import { findGitDirs, type GitDirs } from '../../support/files/worktree/git-dirs.ts'
import type { GitPlace } from '../run.ts'
import { isAllowed } from './allowed-settings.ts'
import type { Setting } from './parse-config.ts'
import { readConfig } from './repository-config.ts'
import { formatFolder } from './repository-format.ts'

export interface PlaceOptions {
  readonly root: string
  readonly dirs: GitDirs
  /** The repository's own configuration. */
  readonly settings: readonly Setting[]
}

/** The repository that `root` is the top of, or the bare one that it is; undefined outside Git. */
export function readPlace(root: string): PlaceOptions | undefined {
  const dirs = findGitDirs(root)
  return dirs === undefined ? undefined : { root, dirs, settings: readConfig(dirs) }
}

/**
 * How git is started in a repository: on its objects, refs and index, with the user's own configuration, but with only
 * the allowed settings of the repository's configuration.
 *
 * Git reads the configuration of a repository from GIT_COMMON_DIR, which is a folder of ours here. Refs, reflogs and
 * packed-refs are found through GIT_DIR regardless; objects and the list of shallow commits have to be named.
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

/** How git is started outside of any repository, without searching the parent folders for one. */
export function placeOutside(cwd: string): GitPlace {
  return { cwd, variables: { GIT_DIR: formatFolder([]) }, settings: [] }
}

/** How git is started in a trusted repository: as by hand, with the repository's configuration in force. */
export function trustedPlaceOf(root: string): GitPlace {
  return { cwd: root, variables: {}, settings: [] }
}
