import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { MIGRATIONS } from '../../src/core/store/migrations.ts'
import { initialiseStore, openStore } from '../../src/core/store/open.ts'
import { Connection } from '@waymark/sqlite'
import { Child } from './child.ts'
import { createEntity, createFolder, createWorkspace, NOW } from './workspace.ts'

describe('initialising', () => {
  test('makes a project once and keeps it', async () => {
    using folder = createFolder()
    const stateDir = join(folder.path, 'deep', 'state')
    const first = await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
    expect(first.created).toBe(true)
    await using store = await openStore(stateDir)
    const entity = await createEntity(store)
    const second = await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
    expect(second).toEqual({ projectId: first.projectId, created: false })
    expect(await store.entities.byId(entity.id)).toEqual(entity)
    expect(JSON.parse(readFileSync(join(stateDir, 'project.json'), 'utf8'))).toEqual({
      format: 1,
      project: first.projectId,
      created: '2026-11-15T12:00:00.000Z',
    })
  })

  test.skipIf(process.platform === 'win32')('lets nobody else read', async () => {
    await using workspace = await createWorkspace()
    await createEntity(await workspace.open())
    const mode = (path: string): number => statSync(path).mode & 0o777
    expect(mode(workspace.stateDir)).toBe(0o700)
    const files = readdirSync(workspace.stateDir)
    expect(files).toContain('waymark.db-wal')
    for (const file of files)
      expect([file, mode(join(workspace.stateDir, file))]).toEqual([file, 0o600])
  })

  test('works for eight processes at once, with one result', async () => {
    using folder = createFolder()
    const stateDir = join(folder.path, 'state')
    const children = Array.from({ length: 8 }, () => new Child('initialiser', [stateDir]))
    await Promise.all(children.map((child) => child.line(1)))
    for (const child of children) child.send('go')
    const lines = await Promise.all(children.map(async (child) => (await child.finish())[1] ?? ''))
    const results = lines.map(
      (line) => JSON.parse(line) as { projectId: string; created: boolean; number: number },
    )
    expect(new Set(results.map(({ projectId }) => projectId)).size).toBe(1)
    expect(results.filter(({ created }) => created)).toHaveLength(1)
    expect(results.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ])
  })

  test('works for many callers in one process, with one result', async () => {
    using folder = createFolder()
    const stateDir = join(folder.path, 'state')
    const results = await Promise.all(
      Array.from({ length: 8 }, () =>
        initialiseStore(stateDir, { projectId: randomUUID(), now: NOW }),
      ),
    )
    expect(new Set(results.map(({ projectId }) => projectId)).size).toBe(1)
    expect(results.filter(({ created }) => created)).toHaveLength(1)
  })

  test('completes what an interrupted attempt has left, and loses nothing', async () => {
    await using workspace = await createWorkspace()
    const entity = await createEntity(await workspace.open())
    rmSync(join(workspace.stateDir, 'project.json'))
    await expectFailure(openStore(workspace.stateDir), 'not_initialised', /waymark init/)
    const result = await initialiseStore(workspace.stateDir, { projectId: randomUUID(), now: NOW })
    expect(result.created).toBe(false)
    const store = await workspace.open()
    expect(await store.entities.byId(entity.id)).toEqual(entity)
  })

  test('leaves the database of another program alone', async () => {
    using folder = createFolder()
    const foreign = new Connection(join(folder.path, 'waymark.db'), 'create')
    foreign.exec('CREATE TABLE theirs (a)')
    foreign.close()
    const attempt = initialiseStore(folder.path, { projectId: randomUUID(), now: NOW })
    await expectFailure(attempt, 'storage_corrupt', /not one of waymark/)
    expect(existsSync(join(folder.path, 'project.json'))).toBe(false)
  })

  test('says so when a file is in the way', async () => {
    using folder = createFolder()
    const path = join(folder.path, 'file')
    writeFileSync(path, '')
    const inPlace = initialiseStore(path, { projectId: randomUUID(), now: NOW })
    await expectFailure(inPlace, 'storage_unavailable', /something else/)
    const below = initialiseStore(join(path, 'state'), { projectId: randomUUID(), now: NOW })
    await expectFailure(below, 'storage_unavailable', /something else/)
  })
})

describe('opening', () => {
  test('an uninitialised folder names the command that helps', async () => {
    using folder = createFolder()
    await expectFailure(openStore(folder.path), 'not_initialised', /waymark init/)
    await expectFailure(openStore(join(folder.path, 'none')), 'not_initialised', /waymark init/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('a missing database is not made anew', async () => {
    await using workspace = await createWorkspace()
    rmSync(workspace.database)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /missing.*waymark init/)
    expect(existsSync(workspace.database)).toBe(false)
  })

  test('an empty database is not taken for a new one', async () => {
    await using workspace = await createWorkspace()
    truncateSync(workspace.database)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /empty.*waymark init/)
    expect(statSync(workspace.database).size).toBe(0)
  })

  test('an overwritten header is noticed', async () => {
    await using workspace = await createWorkspace()
    writeSync(openSync(workspace.database, 'r+'), 'not a database at all', 0)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /damaged/)
  })

  test('a file cut short is noticed', async () => {
    await using workspace = await createWorkspace()
    truncateSync(workspace.database, 4096)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /damaged/)
  })

  test('the database of another program is refused', async () => {
    await using workspace = await createWorkspace()
    alter(workspace.database, 'PRAGMA application_id = 1')
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /not one of waymark/)
  })

  test('the database of another project is refused', async () => {
    await using workspace = await createWorkspace()
    await using other = await createWorkspace()
    copyFileSync(other.database, workspace.database)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /another project/)
  })

  test('a schema from the future is refused', async () => {
    await using workspace = await createWorkspace()
    alter(workspace.database, 'PRAGMA user_version = 1000')
    await expectNeverRecreated(workspace.stateDir, 'storage_newer', /update waymark/)
  })

  test.each([1, 17])('schema version %i, which was never released, is refused', async (version) => {
    await using workspace = await createWorkspace()
    alter(workspace.database, `PRAGMA user_version = ${version}`)
    const message = new RegExp(`schema version ${version} of an unreleased waymark; run .*sync`)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', message)
    alter(workspace.database, `PRAGMA user_version = ${MIGRATIONS.at(-1)?.version}`)
    await (await workspace.open()).close()
  })

  test.each([
    'CREATE TRIGGER surprise AFTER INSERT ON entity BEGIN DELETE FROM event; END',
    'CREATE VIEW surprise AS SELECT 1',
  ])('code that came with the file is refused: %s', async (sql) => {
    await using workspace = await createWorkspace()
    alter(workspace.database, sql)
    await expectNeverRecreated(workspace.stateDir, 'storage_corrupt', /triggers or views/)
  })

  test.each([
    ['', 'storage_corrupt', /damaged/],
    ['null', 'storage_corrupt', /damaged/],
    ['{"format": 1}', 'storage_corrupt', /damaged/],
    ['{"format": 2}', 'storage_newer', /update waymark/],
  ] as const)('a marker that reads %j is refused', async (text, code, message) => {
    await using workspace = await createWorkspace()
    writeFileSync(join(workspace.stateDir, 'project.json'), text)
    await expectNeverRecreated(workspace.stateDir, code, message)
  })

  // Root may write everywhere, so then a process of another user has to try.
  test.skipIf(process.platform === 'win32')(
    'a folder without permission is a clear failure [opening-folder-permission]',
    async () => {
      using folder = createFolder()
      const stateDir = join(folder.path, 'state')
      await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
      rmSync(`${stateDir}/waymark.db-wal`, { force: true })
      rmSync(`${stateDir}/waymark.db-shm`, { force: true })
      for (const file of readdirSync(stateDir)) chmodSync(join(stateDir, file), 0o444)
      chmodSync(stateDir, 0o555)
      chmodSync(folder.path, 0o555)
      const isRoot = process.getuid?.() === 0
      const child = new Child(
        'stranger',
        [stateDir, join(folder.path, 'absent')],
        isRoot ? { uid: 65_534 } : {},
      )
      const lines = await child.finish()
      chmodSync(folder.path, 0o755)
      chmodSync(stateDir, 0o755)
      const outcomes = lines.map((line) => JSON.parse(line) as { code: string; message: string })
      expect(outcomes.map(({ code }) => code)).toEqual(
        Array.from({ length: 3 }, () => 'storage_read_only'),
      )
      expect(existsSync(join(folder.path, 'absent'))).toBe(false)
      for (const { message } of outcomes) {
        expect(message).toMatch(/^[^ ]+ cannot be (used|written)/)
        expect(message).toMatch(/permissions/)
        expect(message).not.toContain(folder.path)
      }
    },
  )

  test.skipIf(process.platform === 'win32')(
    'a database that may only be read is a clear failure, and no word of it changes [opening-database-only]',
    async () => {
      using folder = createFolder()
      const stateDir = join(folder.path, 'state')
      await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
      const database = join(stateDir, 'waymark.db')
      for (const suffix of ['-wal', '-shm']) rmSync(database + suffix, { force: true })
      chmodSync(database, 0o444)
      const before = readFileSync(database)
      const isRoot = process.getuid?.() === 0
      if (isRoot) {
        for (const path of [folder.path, stateDir]) chmodSync(path, 0o777)
        for (const name of ['project.json', 'bell']) chmodSync(join(stateDir, name), 0o666)
      }
      const child = new Child(
        'stranger',
        [stateDir, join(folder.path, 'other')],
        isRoot ? { uid: 65_534 } : {},
      )
      const outcomes = (await child.finish()).map(
        (line) => JSON.parse(line) as { what: string; code: string; message: string },
      )
      expect(outcomes).toMatchObject([
        { what: 'initialise', code: 'ok' },
        { what: 'read', code: 'ok' },
        {
          what: 'write',
          code: 'storage_read_only',
          message: expect.stringMatching(/permissions/),
        },
      ])
      expect(readFileSync(database)).toEqual(before)
    },
  )
})

describe('while it is open', () => {
  test('a database that was removed is a failure, not a write into the void [opening-database-removed]', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store)
    rmSync(workspace.stateDir, { recursive: true })
    await expectFailure(createEntity(store), 'storage_corrupt', /missing/)
    await expectFailure(store.events.latest(), 'storage_corrupt', /missing/)
    expect(existsSync(workspace.stateDir)).toBe(false)
  })

  test('a database that was replaced by that of another project is refused', async () => {
    await using workspace = await createWorkspace()
    await using other = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store)
    renameSync(workspace.stateDir, `${workspace.stateDir}.away`)
    mkdirSync(workspace.stateDir)
    copyFileSync(other.database, workspace.database)
    await expectFailure(createEntity(store), 'storage_corrupt', /another project/)
    await expectFailure(store.events.latest(), 'storage_corrupt', /another project/)
  })

  test('a database that came back from a copy is used', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    copyFileSync(workspace.database, `${workspace.database}.copy`)
    await createEntity(store)
    for (const suffix of ['', '-wal', '-shm']) rmSync(workspace.database + suffix)
    renameSync(`${workspace.database}.copy`, workspace.database)
    expect(await store.events.latest()).toBe(0)
    expect((await createEntity(store)).number).toBe(1)
  })

  test('a schema that a newer program has changed stops the writes of this one', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await createEntity(store)
    alter(workspace.database, 'PRAGMA user_version = 1000')
    await expectFailure(createEntity(store), 'storage_unavailable', /start waymark again/)
    await expectFailure(createEntity(store), 'storage_newer', /update waymark/)
  })
})

function alter(path: string, sql: string): void {
  const connection = new Connection(path, 'write')
  connection.exec(sql)
  connection.close()
}

/** Neither opening nor initialising may help itself. */
async function expectNeverRecreated(
  stateDir: string,
  code: Failure['code'],
  message: RegExp,
): Promise<void> {
  const before = readdirSync(stateDir).filter((name) => !/-(wal|shm)$/.test(name))
  await expectFailure(openStore(stateDir), code, message)
  const again = initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
  await expectFailure(again, code, message)
  expect(readdirSync(stateDir).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
}

async function expectFailure(
  promise: Promise<unknown>,
  code: Failure['code'],
  message: RegExp,
): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Failure)
  const failure = error as Failure
  expect([failure.code, failure.message]).toEqual([code, expect.stringMatching(message)])
  expect(failure.message).not.toMatch(/[/\\](tmp|var|users|home)/i)
}
