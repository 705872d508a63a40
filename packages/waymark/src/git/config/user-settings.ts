import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path'
import type { Setting } from './parse-config.ts'

/** All settings that are in force, each with the place it comes from. */
export const LIST_SETTINGS: readonly string[] = ['config', '--list', '--show-scope', '-z']

/** Named in one's own settings, as `safe.directory` is: a repository cannot say of itself that it may be trusted. */
const TRUST = 'waymark.trustedrepository'

/** A path in which no shell sees more than a path: that of a submodule comes from whoever made the repository. */
const PLAIN_PATH = /^[\p{L}\p{N} _.,@+:/~-]+$/u

/** Where a repository is. */
export interface RepositoryPlace {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** The Git folder that all working trees share. */
  readonly commonDir: string
}

/** The settings of the person and of the machine, in the order in which git reads them. */
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

/** Whether the settings of the person say that those of the repository may be followed. */
export function isTrusted(user: readonly Setting[], { root, commonDir }: RepositoryPlace): boolean {
  const names = [root, homeOf(commonDir)].map(real)
  return user.some(
    ({ key, value }) => key === TRUST && isAbsolute(value) && names.includes(real(value)),
  )
}

/** What to run to trust a repository, by the name that is good for all worktrees where a person would know it. */
export function trustCommand({ root, commonDir }: RepositoryPlace): string {
  const folder = (hasWorkTree(commonDir) ? homeOf(commonDir) : root).replaceAll(sep, '/')
  const named = PLAIN_PATH.test(folder) ? `"${folder}"` : '<its folder>'
  return `git config --global --add waymark.trustedRepository ${named}`
}

/** The folder that a person calls the repository, the same for all its worktrees. */
export function homeOf(commonDir: string): string {
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
