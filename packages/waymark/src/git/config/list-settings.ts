import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type GitPlace, type GitResult, runGit } from '../run.ts'

/** Lists all settings in force, each with its scope. */
export const LIST_SETTINGS: readonly string[] = ['config', '--list', '--show-scope', '-z']

/** How long a list is used: the files that those of the user include are not looked at. */
const TTL_MS = 1_000

/** A process works in few repositories at a time. */
const MOST_PLACES = 16

interface Listed {
  readonly stamp: string
  readonly until: number
  readonly result: Promise<GitResult>
}

const listedByPlace = new Map<string, Listed>()

/**
 * Lists the settings at a place where the repository's own file is not in force. One call asks for several of them, and
 * each git that is started costs milliseconds, so a list is used again until a file of the user's changes.
 */
export async function listSettings(place: GitPlace): Promise<GitResult> {
  const { cwd, variables, settings } = place
  const key = JSON.stringify([cwd, variables, settings])
  const stamp = stampOfUser()
  const known = listedByPlace.get(key)
  if (known?.stamp === stamp && performance.now() < known.until) return await known.result
  const result = runGit(LIST_SETTINGS, place)
  // Behind the others: the first one has been there longest.
  listedByPlace.delete(key)
  listedByPlace.set(key, { stamp, until: performance.now() + TTL_MS, result })
  const [oldest = key] = listedByPlace.keys()
  if (listedByPlace.size > MOST_PLACES) listedByPlace.delete(oldest)
  const isListed = await result.then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  )
  // Errors are not cached, so that the next call works once the cause is fixed.
  if (!isListed) listedByPlace.delete(key)
  return await result
}

/** Changes with the variables of the environment that git reads settings from, and with the files that it looks for. */
function stampOfUser(): string {
  const { env } = process
  const variables = Object.entries(env).filter(([name]) => name.startsWith('GIT_CONFIG'))
  const xdg = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  const own = env['GIT_CONFIG_GLOBAL']
  const files = [
    env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig',
    ...(own === undefined ? [join(xdg, 'git', 'config'), join(homedir(), '.gitconfig')] : [own]),
  ]
  return JSON.stringify([variables, files.map((file) => [file, stampOf(file)])])
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}
