import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkStore } from '../../src/integrity/operations.ts'
import { openStore } from '../../src/core/store/open.ts'
import { MIGRATIONS } from '../../src/core/store/migrations.ts'
import { Connection } from '@waymark/sqlite'
import { migrate, useLog } from '../../src/core/sqlite/database.ts'
import { createStateFolder, databasePath, writeMarker } from '../../src/core/store/state-folder.ts'
import { createFolder } from '../store/workspace.ts'
import { createReplica, START, useStore } from './replicas.ts'

const [FIRST, SECOND, GONE] = ['1', '2', '3'].map((n) => `${n}0000000-0000-4000-8000-000000000000`)

test('what was there before replication takes part in it', async () => {
  using folder = createFolder()
  const stateDir = join(folder.path, 'state')
  await createOldStore(stateDir)
  const store = await openStore(stateDir)
  const old = useStore(store, 'ada')
  await using fresh = await createReplica('bob')
  await fresh.takeIn(await old.lines())
  expect(await fresh.snapshot()).toEqual(await old.snapshot())
  expect(await fresh.store.entities.byId(FIRST ?? '')).toMatchObject({
    number: 1,
    title: 'first',
    content: 'a\nb',
    tags: ['y', 'x'],
    properties: { status: 'accepted', consequences: ['c'] },
  })
  expect(await fresh.store.relations.count()).toBe(1)
  expect(await fresh.store.entities.deletedById(GONE ?? '')).toBeDefined()
  expect((await old.run(checkStore, {})).checks[0]?.status).toBe('ok')
  await store.close()
})

async function createOldStore(stateDir: string): Promise<void> {
  const projectId = randomUUID()
  createStateFolder(stateDir)
  const connection = new Connection(databasePath(stateDir), 'create')
  useLog(connection)
  const before = MIGRATIONS.filter(({ version }) => version < 5)
  await migrate(connection, 1000, before)
  connection.exec(`INSERT INTO project VALUES ('${projectId}', ${START})`)
  const row = (id: string | undefined, rest: string): string =>
    `INSERT INTO entity VALUES ('${id}', ${rest}, 1)`
  const by = `${START}, ${START + 5}, 'ada', 'bob'`
  const properties = `'{"status":"accepted","consequences":["c"]}'`
  connection.exec(
    row(
      FIRST,
      `1, 'decision', 'first', 'a' || char(10) || 'b', '["y","x"]', 'accepted', ${properties}, ${by}, NULL, NULL`,
    ),
  )
  connection.exec(row(SECOND, `2, 'note', 'second', NULL, '[]', NULL, '{}', ${by}, NULL, NULL`))
  connection.exec(
    row(GONE, `3, 'note', 'gone', NULL, '[]', NULL, '{}', ${by}, ${START + 5}, 'bob'`),
  )
  connection.exec(
    `INSERT INTO relation VALUES ('${FIRST}', 'references', '${SECOND}', '{}', ${START}, 'ada', NULL, NULL)`,
  )
  connection.exec(`UPDATE counter SET value = 3 WHERE name = 'entity'`)
  connection.close()
  writeMarker(stateDir, { projectId, createdAt: START })
}
