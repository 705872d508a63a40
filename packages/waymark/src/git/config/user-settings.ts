import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import type { Setting } from './parse-config.ts'
import { quoteFolder } from './quote-folder.ts'

/** Only honoured in the user's own settings, like `safe.directory`: a repository cannot declare itself trusted. */
const TRUST = 'waymark.trustedrepository'

/** The location of a repository. */
export interface RepositoryPlace {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** The Git folder that all working trees share. */
  readonly commonDir: string
}

/** The settings of the user, the machine and the environment, in the order in which git reads them. */
export function parseUserSettings(listed: string): readonly Setting[] {
  return parseListed(listed)
    .filter(({ scope }) => scope !== 'local' && scope !== 'worktree')
    .map(({ key, value }) => ({ key, value }))
}

interface ListedSetting extends Setting {
  readonly scope: string
}

export function parseListed(listed: string): readonly ListedSetting[] {
  const fields = listed.split('\0')
  const settings: ListedSetting[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = '', entry = ''] = [fields[at], fields[at + 1]]
    const [key = '', value = 'true'] = entry.split(/\n(.*)/s)
    settings.push({ scope, key, value })
  }
  return settings
}

/** Whether the user's own settings put the repository's configuration in force. */
export function isTrusted(user: readonly Setting[], { root, commonDir }: RepositoryPlace): boolean {
  const names = [root, homeOf(commonDir)].map(real)
  return user.some(
    ({ key, value }) => key === TRUST && isAbsolute(value) && names.includes(real(value)),
  )
}

/** The command that trusts a repository, if possible by the folder that covers all its worktrees. */
export function trustCommand({ root, commonDir }: RepositoryPlace): string {
  const folder = hasWorkTree(commonDir) ? homeOf(commonDir) : root
  return `git config --global --add waymark.trustedRepository ${quoteFolder(folder)}`
}

/** The main working tree, or the Git folder itself if it has none. */
function homeOf(commonDir: string): string {
  return hasWorkTree(commonDir) ? dirname(commonDir) : commonDir
}

function hasWorkTree(commonDir: string): boolean {
  return basename(commonDir) === '.git'
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}
