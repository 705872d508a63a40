import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WAYMARK } from '../e2e/binary.ts'
import { createRepository } from '../setup.ts'
import { command } from '../surface/command.ts'
import { createDatabase, type TestDatabase } from './team-site.ts'

/** A replica in a process of its own. */
export async function startReplica(
  { url }: Pick<TestDatabase, 'url'>,
  port = 0,
  env: NodeJS.ProcessEnv = {},
) {
  const words = ['serve', '--http', String(port), '--database', '--json']
  const child = spawn(process.execPath, [WAYMARK, ...words], {
    cwd: tmpdir(),
    env: { ...process.env, ...env, WAYMARK_DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const bound = (JSON.parse(line) as { port: number }).port
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  /** As an operator stops it. */
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url: `http://127.0.0.1:${bound}`, port: bound, stop, end, [Symbol.asyncDispose]: stop }
}

/** A clone on a machine of its own: nothing is shared but the server. */
export function createMachine() {
  const repository = createRepository()
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'))
  const env = { HOME: home, USERPROFILE: home, WAYMARK_DATABASE_URL: '' }
  return {
    directory: repository.directory,
    home,
    env,
    run: async <T = Record<string, unknown>>(words: readonly string[], more = {}) => {
      const answer = await command(repository.directory, [...words, '--json'], { ...env, ...more })
      return { ...answer, body: JSON.parse(answer.out || answer.err) as T }
    },
    [Symbol.asyncDispose]: async () => {
      await repository[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

type Created = { readonly token: string }

/** A server with a project, and clones with stores of their own in SQLite that join it. */
export async function createTeam(project = 'api') {
  const database = await createDatabase()
  await database.admin('init', project)
  const own = process.env['WAYMARK_DATABASE_URL']
  delete process.env['WAYMARK_DATABASE_URL']
  const replica = await startReplica(database)
  const token = async (name: string, ...words: readonly string[]) =>
    (await database.admin<Created>('token', 'create', name, '--project', project, ...words)).token
  return {
    database,
    replica,
    token,
    /** A clone that has joined as a member of this name. */
    join: async (name: string, ...words: readonly string[]) => {
      const machine = createMachine()
      const { exit, err } = await machine.run(['join', replica.url], {
        WAYMARK_TOKEN: await token(name, ...words),
      })
      if (exit !== 0) throw new Error(err)
      return machine
    },
    [Symbol.asyncDispose]: async () => {
      await replica.stop()
      process.env['WAYMARK_DATABASE_URL'] = own
      await database[Symbol.asyncDispose]()
    },
  }
}
