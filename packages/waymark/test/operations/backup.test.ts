import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createContext } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { exportBackup, importBackup } from '../../src/backup/operations.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity, showHistory } from '../../src/sync/history/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { createReplica, type TestReplica } from '../replica/replicas.ts'
import { createFolder } from '../store/workspace.ts'

const note = { type: 'note', title: 'a note' } as const

function inFolder(replica: TestReplica, root: string, surface: 'cli' | 'mcp' = 'cli') {
  const { store, logger } = replica.context
  const shell = { folder: root, input: async function* () {}, output: async () => {} }
  const agent = { name: 'ada', surface }
  return createContext({
    store,
    logger,
    agent,
    project: { root },
    ...(surface === 'cli' && { shell }),
  })
}

async function fill(ada: TestReplica): Promise<string> {
  // JSON leaves these two as they are; they end no line.
  const content = 'one\u2028and\u2029a half\n'
  const first = await ada.run(createEntity, { ...note, content, tags: ['a'] })
  const second = await ada.run(createEntity, { type: 'task', title: 'do it' })
  const third = await ada.run(createEntity, note)
  const fourth = await ada.run(createEntity, { ...note, title: 'secret' })
  await ada.run(createRelation, { source: first.id, target: second.id, type: 'documents' })
  await ada.run(updateEntity, { id: first.id, title: 'changed', content: `${content}two\n` })
  await ada.run(deleteEntity, { id: third.id })
  await ada.run(purgeEntity, { id: fourth.id, confirm: true })
  return first.id
}

describe('a backup', () => {
  test('taken into an empty store gives the same store, with its history', async () => {
    using folder = createFolder()
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const id = await fill(ada)
    const report = await execute(inFolder(ada, folder.path), exportBackup, { path: 'a.jsonl' })
    expect(report).toMatchObject({ path: 'a.jsonl', entities: 4 })
    expect(readFileSync(join(folder.path, 'a.jsonl'), 'utf8')).not.toMatch(/secret/)
    expect(
      await execute(inFolder(bob, folder.path), importBackup, { path: 'a.jsonl' }),
    ).toMatchObject({ damaged: 0 })
    await execute(inFolder(bob, folder.path), exportBackup, { path: 'b.jsonl', history: false })
    await execute(inFolder(ada, folder.path), exportBackup, { path: 'c.jsonl', history: false })
    const [b, c] = ['b', 'c'].map((name) =>
      readFileSync(join(folder.path, `${name}.jsonl`), 'utf8'),
    )
    expect(b).toBe(c)
    expect(await bob.run(showHistory, { id })).toEqual(await ada.run(showHistory, { id }))
    const next = await bob.run(createEntity, note)
    expect(next.number).toBe(4)
  })

  test('of a store that others write to holds the past of everything that it shows', async () => {
    using folder = createFolder()
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    await ada.run(createEntity, { ...note, title: 'before' })
    const { store } = ada
    let isFirst = true
    const entities: typeof store.replica.entities = async (...page) => {
      if (isFirst) await ada.run(createEntity, { ...note, title: 'meanwhile' })
      isFirst = false
      return await store.replica.entities(...page)
    }
    const live = { ...store, replica: { ...store.replica, entities } }
    const context = { ...inFolder(ada, folder.path), store: live }
    const { entities: shown } = await execute(context, exportBackup, { path: 'a.jsonl' })
    expect(shown).toBe(2)
    expect(
      await execute(inFolder(bob, folder.path), importBackup, { path: 'a.jsonl' }),
    ).toMatchObject({ created: shown })
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test('that is damaged gives what is whole and says what is not', async () => {
    using folder = createFolder()
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    await ada.run(createEntity, note)
    await ada.run(createEntity, note)
    await execute(inFolder(ada, folder.path), exportBackup, { path: 'a.jsonl' })
    const text = readFileSync(join(folder.path, 'a.jsonl'), 'utf8')
    writeFileSync(join(folder.path, 'a.jsonl'), text.slice(0, -20))
    expect(await execute(inFolder(bob, folder.path), importBackup, { path: 'a.jsonl' })).toEqual({
      created: 1,
      updated: 0,
      deleted: 0,
      purged: 0,
      relations: 0,
      renumbered: [],
      changed_twice: [],
      double_claims: [],
      cycles: [],
      equal_keys: [],
      waiting: 0,
      damaged: 1,
      not_understood: [],
      left_alone: [],
    })
  })

  test('is not written over a file, outside the project, or taken from what is none', async () => {
    using folder = createFolder()
    await using ada = await createReplica('ada')
    const context = inFolder(ada, folder.path, 'mcp')
    await execute(context, exportBackup, { path: 'a.jsonl' })
    await expect(execute(context, exportBackup, { path: 'a.jsonl' })).rejects.toMatchObject({
      code: 'conflict',
    })
    await execute(context, exportBackup, { path: 'a.jsonl', force: true })
    using elsewhere = createFolder()
    mkdirSync(join(folder.path, '.git'))
    symlinkSync(elsewhere.path, join(folder.path, 'link'), 'junction')
    const outside = ['../x.jsonl', join(elsewhere.path, 'x.jsonl'), 'link/x.jsonl']
    for (const path of [...outside, '.git/x']) {
      await expect(execute(context, exportBackup, { path })).rejects.toMatchObject({
        code: 'forbidden',
        details: { field: 'path' },
      })
    }
    await expect(execute(context, exportBackup, { path: 'none/x' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(execute(context, importBackup, { path: 'none' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
