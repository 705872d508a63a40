import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../../core/error.ts'
import type { Environment } from '../../core/project/setting.ts'
import { readRegularFile } from '../../support/files/regular-file.ts'

/** Where a clone keeps its tasks and knowledge, and the token for it. */
export interface JoinedServer {
  /** Without a slash at its end. */
  readonly url: string
  readonly project: string
  readonly token: string
}

type Servers = Readonly<Record<string, JoinedServer>>

const LARGEST_FILE = 1024 * 1024

/** The server that the clone with this state folder has joined. */
export function findJoinedServer(state: string, env: Environment): JoinedServer | undefined {
  return readServers(fileOf(env))[keyOf(state)]
}

/** Remembers the server of a clone, or forgets it. The token lies in the user's own folder, never in the repository. */
export function setJoinedServer(
  state: string,
  env: Environment,
  server: JoinedServer | undefined,
): void {
  const path = fileOf(env)
  const { [keyOf(state)]: _, ...others } = readServers(path)
  const servers: Servers = server === undefined ? others : { ...others, [keyOf(state)]: server }
  const draft = `${path}.${crypto.randomUUID()}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(draft, `${JSON.stringify(servers, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** By its place and not by its id: a repository from elsewhere may bring any id. */
function keyOf(state: string): string {
  return realpathSync(state)
}

function fileOf(env: Environment): string {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir()
  const settings =
    process.platform === 'win32'
      ? (env['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
      : (env['XDG_CONFIG_HOME'] ?? join(home, '.config'))
  return join(settings, 'waymark', 'joined.json')
}

function readServers(path: string): Servers {
  const text = readRegularFile(path, LARGEST_FILE)
  if (text === undefined) return {}
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    const message = `${path} holds tokens and can be read by others: run chmod 600 ${path}`
    throw new Failure('invalid_input', message)
  }
  try {
    return { ...(JSON.parse(text) as Servers) }
  } catch (cause) {
    const message = `${path} is damaged: delete it, and run \`waymark join\` again in your clones`
    throw new Failure('invalid_input', message, { cause })
  }
}
