import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../error.ts'

/** Programs that git starts when it talks to a remote, as far as no option of ours keeps it from that. */
const PROGRAMS =
  /^(?:core\.(?:sshcommand|gitproxy|askpass|alternaterefscommand)|remote\..*\.(?:uploadpack|receivepack|vcs)|credential\.(?:.*\.)?helper|gc\.recentobjectshook)$/

/** A program for hooks that settings name, which git runs since 2.54 whatever `core.hooksPath` says. */
const HOOK = /^hook\.(.*)\.(command|event)$/s

/**
 * What is run only by commands that are never run here: those that commit, check out, rebase, send mail or receive a
 * push. Our own pushes leave out what would be run before them.
 */
const DISTANT_EVENTS: ReadonlySet<string> = new Set([
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'post-rewrite',
  'sendemail-validate',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'push-to-checkout',
])

/** Commands that move refs, and so run hooks without talking to anybody. */
const MOVES_REFS: ReadonlySet<string> = new Set(['fast-import', 'update-ref'])

/** Named in settings of one's own, as `safe.directory` is: a repository cannot say of itself that it may be trusted. */
const TRUST = 'waymark.trustedrepository'

/** A path in which no shell sees more than a path: that of a submodule comes from whoever made the repository. */
const PLAIN_PATH = /^[\p{L}\p{N} _.,@+:/~-]+$/u

/** All settings that are in force here, with the place that each comes from. */
export const LIST_SETTINGS = ['config', '--list', '--show-scope', '-z']

interface Setting {
  readonly isOwn: boolean
  /** In lower case, but for a part between dots that has a case. */
  readonly key: string
  readonly value: string
}

/** Where a repository is. */
export interface RepositoryPlace {
  /** The working tree's top folder; in a bare repository the repository itself. */
  readonly root: string
  /** The Git folder that all working trees share. */
  readonly commonDir: string
}

/** The key of a setting by which the repository itself has a program started, unless its owner trusts it. */
export function findPlantedProgram(listed: string, place: RepositoryPlace): string | undefined {
  if (isTrusted(listed, place)) return undefined
  const settings = parseSettings(listed)
  // An empty value takes back what was set elsewhere.
  const program = settings.find(
    ({ isOwn, key, value }) => !isOwn && value !== '' && PROGRAMS.test(key),
  )
  return program?.key ?? findPlantedHook(listed, place)
}

/** The key of a setting by which the repository itself has a program started where nobody else is talked to. */
export function findPlantedHook(listed: string, place: RepositoryPlace): string | undefined {
  if (isTrusted(listed, place)) return undefined
  const hooks = parseSettings(listed).flatMap(({ key, ...setting }) => {
    const [, name, field] = HOOK.exec(key) ?? []
    return name === undefined || setting.value === '' ? [] : [{ ...setting, key, name, field }]
  })
  // The two may stand in different files: an event of one's own can get a program of the repository.
  const near = new Set(
    hooks
      .filter(({ field, value }) => field === 'event' && !DISTANT_EVENTS.has(value))
      .map(({ name }) => name),
  )
  return hooks.find(({ isOwn, field, name }) => !isOwn && field === 'command' && near.has(name))
    ?.key
}

/** Whether a call of git moves a ref. Options that stand before the command are all of the form `-c name=value`. */
export function movesRefs(args: readonly string[]): boolean {
  const at = args.findIndex((arg, at) => arg !== '-c' && args[at - 1] !== '-c')
  return MOVES_REFS.has(args[at] ?? '')
}

/** Whether the owner's settings, and not those of the repository, say that its own may be followed. */
export function isTrusted(listed: string, { root, commonDir }: RepositoryPlace): boolean {
  const names = [root, homeOf(commonDir)]
  return parseSettings(listed).some(
    ({ isOwn, key, value }) =>
      isOwn && key === TRUST && names.some((folder) => isSame(value, folder)),
  )
}

export function untrustedSetting(key: string, { root, commonDir }: RepositoryPlace): Failure {
  const shown = key.replaceAll(/\p{C}/gu, '?').slice(0, 200)
  // The name that is good for all worktrees, where a person would know it. Git takes slashes everywhere.
  const folder = (isInside(commonDir) ? homeOf(commonDir) : root).replaceAll(sep, '/')
  const named = PLAIN_PATH.test(folder) ? `"${folder}"` : '<its folder>'
  return new Failure(
    'forbidden',
    `${shown} in the settings of this repository could run a program of its own; put it into your own settings (git config --global), or name the repository there: git config --global --add waymark.trustedRepository ${named}`,
    { details: { reason: 'untrusted_setting', key: shown } },
  )
}

/** Whether an address is a folder of the repository itself, where whoever made the repository has put the hooks. */
export function leadsInside(address: string, { root, commonDir }: RepositoryPlace): boolean {
  const path = toPath(address, root)
  return path !== undefined && [root, homeOf(commonDir)].some((folder) => isWithin(path, folder))
}

/** Whether git gets objects that are not here from a remote when they are asked for. */
export function isPartialClone(commonDir: string): boolean {
  try {
    const packs = readdirSync(join(commonDir, 'objects', 'pack'))
    return packs.some((name) => name.endsWith('.promisor'))
  } catch {
    return false
  }
}

function parseSettings(listed: string): Setting[] {
  const fields = listed.split('\0')
  const settings: Setting[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry = ''] = [fields[at], fields[at + 1]]
    const [key = '', ...lines] = entry.split('\n')
    const isOwn = scope !== 'local' && scope !== 'worktree'
    settings.push({ isOwn, key: key.toLowerCase(), value: lines.join('\n') })
  }
  return settings
}

/** The folder that a person calls the repository, the same for all its worktrees. */
function homeOf(commonDir: string): string {
  return isInside(commonDir) ? dirname(commonDir) : commonDir
}

function isInside(commonDir: string): boolean {
  return basename(commonDir) === '.git'
}

function toPath(address: string, root: string): string | undefined {
  if (address.startsWith('file://')) {
    try {
      return fileURLToPath(address)
    } catch {
      return undefined
    }
  }
  // As git sees it: a colon before the first slash makes it a machine or a protocol, but for a drive of Windows.
  const isRemote = /^[^/\\]+:/.test(address) && !/^[A-Za-z]:[/\\]/.test(address)
  return isRemote ? undefined : resolve(root, address)
}

function isSame(one: string, other: string): boolean {
  return isAbsolute(one) && real(one) === real(other)
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(real(folder), real(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}
