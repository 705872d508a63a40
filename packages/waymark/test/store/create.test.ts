import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { MIGRATIONS } from '../../src/core/store/migrations.ts'
import { Connection } from '@waymark/sqlite'
import { createDatabase } from '../../src/core/sqlite/create.ts'
import { createFolder } from './workspace.ts'

afterEach(() => vi.restoreAllMocks())

it('a database that another process makes at the same moment is no foreign one', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'waymark.db')
  vi.spyOn(Connection.prototype, 'get').mockImplementationOnce(function (this: Connection, sql) {
    const seen = this.get(sql)
    makeTables(path)
    return seen
  })
  vi.spyOn(Connection.prototype, 'pragma').mockImplementationOnce(function (
    this: Connection,
    name,
  ) {
    const seen = this.pragma(name)
    makeTables(path)
    return seen
  })
  const project = { projectId: 'ours', createdAt: 1 }
  expect(await createDatabase(path, project)).toEqual(project)
})

/** As another process does it, in one transaction. */
function makeTables(path: string): void {
  const other = new Connection(path, 'create')
  const isEmpty = other.all('SELECT 1 FROM sqlite_schema').length === 0
  if (isEmpty) {
    const [first] = MIGRATIONS
    other.exec('BEGIN IMMEDIATE')
    for (const statement of first?.sqlite ?? []) other.exec(statement)
    other.exec(`PRAGMA application_id = ${0x57_41_59_4d}; PRAGMA user_version = ${first?.version}`)
    other.exec('COMMIT')
  }
  other.close()
}
