import { Connection } from '@waymark/sqlite'
import { expect, test } from 'vitest'
import { createWorkspace, insertEntity, type Workspace } from './workspace.ts'

function hasWord({ database }: Workspace, word: string): boolean {
  const connection = new Connection(database, 'read')
  try {
    return connection.get('SELECT 1 FROM word WHERE word = ?', word) !== undefined
  } finally {
    connection.close()
  }
}

test('a word is stored again when a text has it after its deletion by another process', async () => {
  await using workspace = await createWorkspace()
  const [writer, sweeper] = [await workspace.open(), await workspace.open()]
  const write = (title: string) => writer.write((tx) => insertEntity(tx, { title }))
  const written = [await write('zebrafant'), await write('zebrafant'), await write('zebrafant')]
  expect(hasWord(workspace, 'zebrafant')).toBe(true)

  await sweeper.write(async (tx) => {
    for (const { id } of written) await tx.search.remove('entity', id)
    await tx.search.forgetWords(0)
  })
  expect(hasWord(workspace, 'zebrafant')).toBe(false)

  await write('zebrafant')
  expect(hasWord(workspace, 'zebrafant')).toBe(true)
})

test('a word of a text that was not written is stored with the next one that has it', async () => {
  await using workspace = await createWorkspace()
  const store = await workspace.open()
  const refused = store.write(async (tx) => {
    await insertEntity(tx, { title: 'xyloquartz' })
    await tx.search.settle()
    throw new Error('changed my mind')
  })
  await expect(refused).rejects.toThrow()
  expect(hasWord(workspace, 'xyloquartz')).toBe(false)
  await store.write((tx) => insertEntity(tx, { title: 'xyloquartz' }))
  expect(hasWord(workspace, 'xyloquartz')).toBe(true)
})
