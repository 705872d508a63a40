import { describe, expect, test } from 'vitest'
import { createWorkspace, NOW } from './workspace.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

describe('events', () => {
  test('are read from a cursor, in order, page by page', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    expect(await store.events.latest()).toBe(0)
    expect(await store.events.after(BEFORE_ALL, { limit: 10 })).toEqual([])
    const ids = await store.write(async (tx) => {
      const given: number[] = []
      for (const type of ['note.created', 'note.changed', 'task.created', 'note.changed']) {
        const event = { type, subject: 's', at: NOW, agent: 'ada', data: { title: '🧭' } }
        given.push(await tx.events.append(event))
      }
      return given
    })
    expect(ids).toEqual([1, 2, 3, 4])
    expect(await store.events.latest()).toBe(4)
    const [first, second] = await store.events.after(BEFORE_ALL, { limit: 2 })
    expect(first).toEqual({
      id: 1,
      type: 'note.created',
      subject: 's',
      at: NOW,
      agent: 'ada',
      data: { title: '🧭' },
    })
    expect(
      (await store.events.after(second?.id ?? BEFORE_ALL, { limit: 10 })).map(({ id }) => id),
    ).toEqual([3, 4])
    const types = ['note.created', 'task.created']
    expect(
      (await store.events.after(BEFORE_ALL, { limit: 10, types })).map(({ id }) => id),
    ).toEqual([1, 3])
    expect(await store.events.after(BEFORE_ALL, { limit: 10, types: [] })).toEqual([])
  })
})
