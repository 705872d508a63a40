// A team server with everything around it on one machine: PostgreSQL, an issuer and two replicas, without containers.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createServerFolder, type PostgresServer, startPostgres } from '../postgres/server.ts'
import { startIssuer } from './issuer.ts'

const run = promisify(execFile)
const WAYMARK = fileURLToPath(new URL('../../packages/waymark/bin/waymark.js', import.meta.url))
export const PROJECT = 'demo'

export interface Replica {
  readonly url: string
  stop(): Promise<void>
}

export interface Trial extends AsyncDisposable {
  /** Address of the database. */
  readonly database: string
  readonly issuer: string
  readonly replicas: readonly Replica[]
  /** `waymark admin …`; what it prints as JSON. */
  admin<T>(...words: readonly string[]): Promise<T>
  /** A token of the issuer for a member of the project. */
  fetchToken(subject: string, role: string): Promise<string>
  /** Folder of the database server. */
  readonly folder: string
  readonly postgres: PostgresServer
}

const AUDIENCE = 'urn:waymark:trial'
const SCOPES = 'tasks:read tasks:write entities:read entities:write messages:read messages:write'

export async function startTrial(): Promise<Trial> {
  const folder = createServerFolder()
  const postgres = await startPostgres({ folder, isDurable: true })
  const issuer = await startIssuer()
  const database = postgres.url
  const admin = async <T>(...words: readonly string[]): Promise<T> =>
    await waymarkAdmin(database, words)
  await admin('init', PROJECT)
  const env = { OAUTH_ISSUER_URL: issuer.url, OAUTH_AUDIENCE: AUDIENCE }
  const replicas = [await startReplica(database, env), await startReplica(database, env)]
  return {
    database,
    issuer: issuer.url,
    replicas,
    admin,
    folder,
    postgres,
    fetchToken: async (subject, role) => {
      const roles = `${PROJECT}:${role}`
      const form = new URLSearchParams({ sub: subject, roles, scope: SCOPES, resource: AUDIENCE })
      const answer = await fetch(`${issuer.url}/token`, { method: 'POST', body: form })
      return ((await answer.json()) as { access_token: string }).access_token
    },
    [Symbol.asyncDispose]: async () => {
      for (const replica of replicas) await replica.stop()
      await issuer.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs `waymark admin` on a database. */
export async function waymarkAdmin<T>(database: string, words: readonly string[]): Promise<T> {
  const { stdout } = await run(process.execPath, [WAYMARK, 'admin', ...words, '--json'], {
    cwd: tmpdir(),
    env: { ...process.env, WAYMARK_DATABASE_URL: database },
  })
  return JSON.parse(stdout) as T
}

export async function startReplica(
  database: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const words = ['serve', '--http', '0', '--database', '--json']
  const child = spawn(process.execPath, [WAYMARK, ...words], {
    cwd: tmpdir(),
    env: { ...process.env, WAYMARK_LOG_LEVEL: 'warn', ...env, WAYMARK_DATABASE_URL: database },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const told = once(child.stdout.setEncoding('utf8'), 'data')
  const [line] = (await Promise.race([told, ended])) as [string | number]
  if (typeof line !== 'string') throw new Error('the replica did not start')
  const { port } = JSON.parse(line) as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A clone with a home of its own, as on another machine. */
export async function createClone(folder: string) {
  const [directory, home] = [join(folder, 'clone'), join(folder, 'home')]
  for (const path of [directory, home]) mkdirSync(path, { recursive: true })
  await run('git', ['init', '-q'], { cwd: directory })
  const env = { ...process.env, HOME: home, USERPROFILE: home, WAYMARK_DATABASE_URL: '' }
  delete (env as NodeJS.ProcessEnv)['XDG_CONFIG_HOME']
  return {
    directory,
    /** Exit code, and what was printed. */
    run: async (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const options = { cwd: directory, env: { ...env, ...more } }
      try {
        const { stdout } = await run(process.execPath, [WAYMARK, ...words], options)
        return { exit: 0, out: stdout }
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
        return { exit: code, out: `${stdout}${stderr}` }
      }
    },
  }
}
