import { describe, expect, test } from 'vitest'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity, restoreEntity, showHistory } from '../../src/sync/history/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { createReplica, exchange, START, useStore } from '../replica/replicas.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

const note = { type: 'note', title: 'a note' } as const
const time = (offset: number) => new Date(START + offset).toISOString()

describe('history', () => {
  test('tells who changed what and when, with the old value and the new one', async () => {
    await using ada = await createReplica('ada')
    const { id } = await ada.run(createEntity, { ...note, tags: ['x'] })
    ada.tick(1000)
    const bob = useStore(ada.store, 'bob')
    bob.tick(1000)
    await bob.run(updateEntity, { id, title: 'better', add_tags: ['y'], content: 'text' })
    const { changes, total } = await ada.run(showHistory, { id })
    expect(total).toBe(2)
    expect(changes[0]).toEqual({
      version: 2,
      at: time(1000),
      by: 'bob',
      changes: [
        { field: 'title', from: 'a note', to: 'better' },
        { field: 'tags', from: ['x'], to: ['x', 'y'] },
        { field: 'content', to: 'text' },
      ],
    })
    expect(changes[1]).toMatchObject({ version: 1, by: 'ada' })
  })

  test('keeps both titles when two clones changed it at once', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, note)
    await exchange(ada, bob)
    await ada.run(updateEntity, { id, title: 'by ada' })
    await bob.run(updateEntity, { id, title: 'by bob' })
    await exchange(ada, bob)
    for (const replica of [ada, bob]) {
      const { changes } = await replica.run(showHistory, { id })
      const titles = changes.flatMap(({ changes }) => changes.map(({ to }) => to))
      expect(titles).toEqual(expect.arrayContaining(['by ada', 'by bob']))
    }
  })
})

describe('the history of an entity that changed often', () => {
  test('is told page by page, and comes over whole', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, content: 'first\nlast' })
    const lines = ['first', 'last']
    for (let n = 2; n <= 150; n++) {
      lines.splice(1, n % 3 === 0 ? 1 : 0, `line ${n}`)
      await ada.run(updateEntity, { id, title: `title ${n}`, content: lines.join('\n') })
      // What is sent in parts builds on what was sent before.
      if (n % 50 === 0) await exchange(ada, bob)
    }
    await bob.run(updateEntity, { id, content: [...lines, 'by bob'].join('\n') })
    await ada.run(updateEntity, { id, content: ['by ada', ...lines].join('\n') })
    await exchange(ada, bob)
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
    const { content } = await bob.run(getEntity, { id })
    expect(content).toBe(['by ada', ...lines, 'by bob'].join('\n'))
    const { total, changes } = await bob.run(showHistory, { id, limit: 2, before: 101 })
    expect(total).toBe(152)
    expect(changes.map(({ version, changes }) => [version, changes[0]])).toEqual([
      [100, { field: 'title', from: 'title 99', to: 'title 100' }],
      [99, { field: 'title', from: 'title 98', to: 'title 99' }],
    ])
    expect(await bob.run(restoreEntity, { id, version: 40 })).toMatchObject({ title: 'title 40' })
  })
})

describe('restore', () => {
  test('brings back what was deleted, with its relations, in every clone', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const first = await ada.run(createEntity, { ...note, content: 'kept' })
    const second = await ada.run(createEntity, note)
    await ada.run(createRelation, { source: second.id, target: first.id, type: 'references' })
    await exchange(ada, bob)
    ada.tick(5)
    await ada.run(deleteEntity, { id: first.id })
    await exchange(ada, bob)
    ada.tick(5)
    const restored = await ada.run(restoreEntity, { id: first.id })
    expect(restored).toMatchObject({ id: first.id, content: 'kept', number: 1 })
    expect(await ada.store.relations.count()).toBe(1)
    await exchange(ada, bob)
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
    expect(await bob.run(getEntity, { id: first.id })).toMatchObject({ content: 'kept' })
  })

  test('brings back an earlier version, as a change like any other', async () => {
    await using ada = await createReplica('ada')
    const { id } = await ada.run(createEntity, { ...note, content: 'one', tags: ['a'] })
    await ada.run(updateEntity, { id, title: 'two', content: 'two', tags: ['b'] })
    const restored = await ada.run(restoreEntity, { id, version: 1 })
    expect(restored).toMatchObject({ title: 'a note', content: 'one', tags: ['a'] })
    expect((await ada.run(showHistory, { id })).total).toBe(3)
    await expect(ada.run(restoreEntity, { id })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(ada.run(restoreEntity, { id, version: 9 })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})

describe('undo', () => {
  test('takes back one author’s changes since a time, and nobody else’s [history-takes-back]', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { id } = await ada.run(createEntity, { ...note, content: 'good', tags: ['a'] })
    const gone = await ada.run(createEntity, { ...note, title: 'deleted by robot' })
    ada.tick(1000)
    robot.tick(1000)
    await robot.run(updateEntity, { id, title: 'bad', content: 'bad' })
    const made = await robot.run(createEntity, { ...note, title: 'made by robot' })
    await robot.run(createRelation, { source: id, target: made.id, type: 'references' })
    await robot.run(deleteEntity, { id: gone.id })
    await ada.run(updateEntity, { id, title: 'better' })
    const input = { author: 'robot', since: time(500) }
    const plan = await ada.run(undoChanges, { ...input, dry_run: true })
    const { entities } = await ada.run(undoChanges, input)
    expect(entities).toEqual(plan.entities)
    expect(Object.fromEntries(entities.map(({ id, outcome }) => [id, outcome]))).toEqual({
      [id]: 'reverted',
      [made.id]: 'deleted',
      [gone.id]: 'restored',
    })
    expect(entities.find((entity) => entity.id === id)).toMatchObject({ kept: ['title'] })
    expect(await ada.run(getEntity, { id })).toMatchObject({ title: 'better', content: 'good' })
    expect(await ada.run(getEntity, { id: gone.id })).toMatchObject({ title: 'deleted by robot' })
    await expect(ada.run(getEntity, { id: made.id })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('undo after a merge', () => {
  test('keeps what others did at the same time without knowing of it', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, content: 'first\nlast', tags: ['a'] })
    await exchange(ada, bob)
    const robot = useStore(ada.store, 'robot')
    robot.tick(1000)
    // Neither knows of the other, so which of the two changes is told last is arbitrary; both orders must be right.
    for (const word of ['one', 'two', 'three', 'four', 'five', 'six']) {
      await robot.run(updateEntity, { id, title: `bad ${word}` })
      await bob.run(updateEntity, { id, content: `first\n${word}\nlast`, tags: ['a', word] })
      await exchange(ada, bob)
      await ada.run(undoChanges, { author: 'robot', since: time(500) })
      expect(await ada.run(getEntity, { id })).toMatchObject({
        title: 'a note',
        content: `first\n${word}\nlast`,
        tags: ['a', word],
      })
      await exchange(ada, bob)
    }
  })
})

describe('purge', () => {
  test('leaves only the id, wherever it arrives, and nothing brings it back', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, { ...note, title: 'secret', content: 'hush' })
    await exchange(ada, bob)
    await bob.run(updateEntity, { id, content: 'hush hush' })
    await ada.run(purgeEntity, { id, confirm: true })
    await exchange(ada, bob)
    await exchange(bob, ada)
    for (const replica of [ada, bob]) {
      const { store } = replica
      expect((await store.replica.document(id))?.document).toBeNull()
      expect((await replica.snapshot()).join('')).not.toMatch(/secret|hush/)
      expect(JSON.stringify(await store.events.after(BEFORE_ALL, { limit: 100 }))).not.toMatch(
        /secret/,
      )
      await expect(replica.run(restoreEntity, { id })).rejects.toMatchObject({ code: 'conflict' })
    }
  })
})
