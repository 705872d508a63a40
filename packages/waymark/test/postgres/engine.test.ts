import { executionAsyncResource } from 'node:async_hooks'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createServerFolder, startPostgres } from '../../../../scripts/postgres/server.ts'
import { type Context, createContext } from '../../src/core/context.ts'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { createLogger, SILENT } from '../../src/support/logger.ts'
import { createTask } from '../../src/task/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createProject, createRepository } from '../setup.ts'

const DATABASE = process.env['WAYMARK_DATABASE_URL'] ?? ''

async function openAs(directory: string, name: string) {
  const project = await openProject(directory)
  const context = createContext({
    store: project.store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    project: { root: project.root, state: project.state },
  })
  return { context, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() }
}

describe('a project in PostgreSQL', () => {
  it('gives a task to one of many agents that claim it at once [postgres-one-winner]', async () => {
    await using repository = await createProject()
    await using first = await openAs(repository.directory, 'ada')
    await using second = await openAs(repository.directory, 'bo')
    const { task } = await execute(first.context, createTask, { title: 'Write the parser' })
    const claims = Array.from({ length: 20 }, async (_, at) => {
      const { context } = at % 2 === 0 ? first : second
      const caller = { ...context, agent: { ...context.agent, name: `agent-${at}` } }
      return await execute(caller, claimTask, { id: task.id })
    })
    const outcomes = await Promise.allSettled(claims)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is shared by clones that join it by its id, and by no others [postgres-clones-join]', async () => {
    await using first = createRepository()
    await using second = createRepository()
    await using stranger = createRepository()
    const { project_id: projectId } = await initialiseProject(first.directory)
    await initialiseProject(second.directory, { projectId })
    await initialiseProject(stranger.directory)
    await using ada = await openAs(first.directory, 'ada')
    await using bo = await openAs(second.directory, 'bo')
    await using eve = await openAs(stranger.directory, 'eve')
    await execute(ada.context, createEntity, { type: 'note', title: 'Shared' })
    expect(await titlesIn(bo.context)).toEqual(['Shared'])
    expect(await titlesIn(eve.context)).toEqual([])
    await expect(initialiseProject(stranger.directory, { projectId })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(initialiseProject(first.directory, { projectId: 'x' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('project_id'),
    })
  })

  it('keeps each acknowledged write once, though its connections are cut [postgres-cut-connections]', async () => {
    // A server of its own, because connections of other tests would be cut as well.
    await using server = await startServer()
    await using repository = createRepository()
    await initialiseProject(repository.directory)
    await using writer = await openAs(repository.directory, 'ada')
    await using control = await connect(server.url)
    let isOver = false
    const cutting = (async () => {
      while (!isOver) {
        await control.client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'waymark' AND pid <> pg_backend_pid() AND random() < 0.5`)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
    })()
    const titles = Array.from({ length: 60 }, (_, at) => `Note ${at}`)
    const acknowledged: string[] = []
    for (const title of titles) {
      const outcome = await execute(writer.context, createEntity, { type: 'note', title }).then(
        () => true,
        () => false,
      )
      if (outcome) acknowledged.push(title)
    }
    isOver = true
    await cutting
    expect(acknowledged.length).toBeGreaterThan(10)
    const { events } = await execute(writer.context, listEvents, { limit: 1000 })
    const created = events.filter(({ type }) => type === 'entity.created').map(({ id }) => id)
    expect(created).toEqual(created.map((_, at) => (created[0] ?? 0) + at))
    const found = await titlesIn(writer.context)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
  })

  it('leaves nothing in the async context of the process when it is closed', async () => {
    // Node 20 and 22 give each resource a property for each AsyncLocalStorage that was not disabled.
    const storages = () => Object.getOwnPropertySymbols(executionAsyncResource()).length
    const useProject = async () => {
      await using repository = await createProject()
      await using ada = await openAs(repository.directory, 'ada')
      await execute(ada.context, createEntity, { type: 'note', title: 'One' })
    }
    await useProject()
    await new Promise((resolve) => setImmediate(resolve))
    const before = storages()
    for (let round = 0; round < 3; round += 1) await useProject()
    await new Promise((resolve) => setImmediate(resolve))
    expect(storages()).toBe(before)
  })

  it('refuses a write that starts another one', async () => {
    await using repository = await createProject()
    await using ada = await openAs(repository.directory, 'ada')
    const { context } = ada
    const nested = context.store.write(
      async () => await execute(context, createEntity, { type: 'note', title: 'Inner' }),
    )
    await expect(nested).rejects.toMatchObject({ code: 'internal' })
    expect(await titlesIn(context)).toEqual([])
  })

  it('takes the time from the server, whatever the clock of the caller says', async () => {
    await using repository = await createProject()
    await using project = await openProject(repository.directory)
    const dayAhead = { now: () => Date.now() + 86_400_000 }
    const at = await project.store.write((tx) => tx.now(dayAhead))
    expect(Math.abs(at - Date.now())).toBeLessThan(3_600_000)
  })

  it('is found by the variable alone: without it no address in the repository is used [postgres-address-environment]', async () => {
    await using repository = await createProject()
    const { directory } = repository
    mkdirSync(join(directory, '.waymark'), { recursive: true })
    const named = { databaseUrl: DATABASE, database_url: DATABASE, WAYMARK_DATABASE_URL: DATABASE }
    writeFileSync(join(directory, '.waymark', 'config.json'), JSON.stringify(named))
    writeFileSync(join(directory, '.env'), `WAYMARK_DATABASE_URL=${DATABASE}\n`)
    delete process.env['WAYMARK_DATABASE_URL']
    try {
      await expect(openProject(directory)).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('set WAYMARK_DATABASE_URL'),
      })
    } finally {
      process.env['WAYMARK_DATABASE_URL'] = DATABASE
    }
  })

  it('is told without the password in its address, in errors and in the log [postgres-password-untold]', async () => {
    const lines: string[] = []
    const write = (line: string): void => void lines.push(line)
    const logger = createLogger({ level: 'trace', target: 'test', write })
    try {
      for (const place of ['[bad', '127.0.0.1:1/db', '127.0.0.1:99999999/db', '%zz/db']) {
        await using repository = createRepository()
        process.env['WAYMARK_DATABASE_URL'] = `postgres://waymark:hunter2@${place}`
        const error = await initialiseProject(repository.directory).catch((each: unknown) => each)
        expect(error, place).toBeInstanceOf(Failure)
        logger.error('init failed', { error, details: (error as Failure).details })
      }
    } finally {
      process.env['WAYMARK_DATABASE_URL'] = DATABASE
    }
    expect(lines).toHaveLength(4)
    expect(lines.join('\n')).not.toContain('hunter2')
  })

  it('is refused in a database that sorts texts by another rule than their bytes', async () => {
    await using control = await connect(DATABASE)
    await control.client.query(`CREATE DATABASE german LOCALE_PROVIDER icu ICU_LOCALE 'de'
      LOCALE 'C' TEMPLATE template0`)
    await using repository = createRepository()
    process.env['WAYMARK_DATABASE_URL'] = DATABASE.replace('/waymark?', '/german?')
    try {
      await expect(initialiseProject(repository.directory)).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining('LOCALE'),
      })
    } finally {
      process.env['WAYMARK_DATABASE_URL'] = DATABASE
      await control.client.query('DROP DATABASE german WITH (FORCE)')
    }
  })

  it('has every acknowledged write after the server was killed [postgres-server-killed]', async () => {
    await using server = await startServer()
    await using repository = createRepository()
    await initialiseProject(repository.directory)
    await using writer = await openAs(repository.directory, 'ada')
    const acknowledged: string[] = []
    const writing = Array.from({ length: 40 }, async (_, at) => {
      const title = `Note ${at}`
      await execute(writer.context, createEntity, { type: 'note', title })
      acknowledged.push(title)
      if (acknowledged.length === 15) await server.kill()
    })
    const outcomes = Promise.allSettled(writing)
    await expect.poll(() => server.isKilled()).toBe(true)
    await server.restart()
    await outcomes
    const found = await titlesIn(writer.context)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
    await execute(writer.context, createEntity, { type: 'note', title: 'Afterwards' })
  })
})

/** A durable server that new projects are created on until it is disposed. */
async function startServer() {
  const folder = createServerFolder()
  let server = await startPostgres({ folder, isDurable: true })
  process.env['WAYMARK_DATABASE_URL'] = server.url
  return {
    url: server.url,
    kill: () => server.kill(),
    isKilled: () => server.process.signalCode === 'SIGKILL',
    restart: async () => {
      server = await startPostgres({ folder, isDurable: true })
    },
    [Symbol.asyncDispose]: async () => {
      process.env['WAYMARK_DATABASE_URL'] = DATABASE
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function titlesIn(context: Context): Promise<string[]> {
  const { entities } = await execute(context, listEntities, { limit: 100 })
  return entities.map(({ title }) => title)
}

async function connect(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: 'control' })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}
