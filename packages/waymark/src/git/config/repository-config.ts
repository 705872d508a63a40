import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import type { GitDirs } from '../../support/files/worktree/git-dirs.ts'
import { hasCode } from '../../support/system-error.ts'
import { isEnabled } from './config-values.ts'
import { ConfigSyntaxError, parseConfig, type Setting } from './parse-config.ts'

const LARGEST_FILE = 1024 * 1024

/** A repository's own configuration, parsed by us. Git does not read these files when we start it. */
export interface RepositoryConfig {
  readonly settings: readonly Setting[]
  /** Changes whenever a file changes. */
  readonly stamp: string
}

/** Parses the configuration again only after a file has changed: every start of git needs it. */
export function watchConfig(dirs: () => GitDirs): () => RepositoryConfig {
  let known: RepositoryConfig | undefined
  return () => {
    const stamp = stampOf(dirs())
    if (known?.stamp !== stamp) known = { settings: readConfig(dirs()), stamp }
    return known
  }
}

/** The shared settings, then those of this worktree if `extensions.worktreeConfig` is on. */
export function readConfig(dirs: GitDirs): readonly Setting[] {
  const [shared, own] = filesOf(dirs)
  const settings = readFile(shared)
  const isApart = settings.findLast(({ key }) => key === 'extensions.worktreeconfig')
  return isApart !== undefined && isEnabled(isApart.value)
    ? [...settings, ...readFile(own)]
    : settings
}

function filesOf({ own, common }: GitDirs): readonly [string, string] {
  return [join(common, 'config'), join(own, 'config.worktree')]
}

function stampOf(dirs: GitDirs): string {
  return filesOf(dirs)
    .map((file) => {
      const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
      return stats === undefined
        ? '-'
        : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
    })
    .join(' ')
}

/** A missing file is empty. An archive can hold a pipe or a link to a device in its place; only regular files are read. */
function readFile(file: string): readonly Setting[] {
  try {
    const stats = statSync(file)
    if (!stats.isFile() || stats.size > LARGEST_FILE) {
      throw unreadable(file, 'must be a regular file of at most 1 MiB')
    }
    return parseConfig(readFileSync(file, 'utf8'))
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return []
    if (error instanceof ConfigSyntaxError) {
      throw unreadable(file, `cannot be parsed: line ${error.line} is wrong; correct it`)
    }
    if (hasCode(error, ['EACCES', 'EPERM']))
      throw unreadable(file, 'cannot be read: permission denied')
    throw error
  }
}

function unreadable(file: string, problem: string): Failure {
  const shown = file.replace(/^.*[\\/](?=\.git[\\/])/, '')
  return new Failure('storage_unavailable', `the Git configuration ${shown} ${problem}`, {
    details: { reason: 'git_config', file },
  })
}
