import { describe, expect, test } from 'vitest'
import { createWorkspace, NOW } from './workspace.ts'

describe('events', () => {
  test('are read from a cursor, in order, page by page', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    expect(await store.events.latest()).toBe(0)
    expect(await store.events.after(0, { limit: 10 })).toEqual([])
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
    const [first, second] = await store.events.after(0, { limit: 2 })
    expect(first).toEqual({
      id: 1,
      type: 'note.created',
      subject: 's',
      at: NOW,
      agent: 'ada',
      data: { title: '🧭' },
    })
    expect((await store.events.after(second?.id ?? 0, { limit: 10 })).map(({ id }) => id)).toEqual([
      3, 4,
    ])
    const types = ['note.created', 'task.created']
    expect((await store.events.after(0, { limit: 10, types })).map(({ id }) => id)).toEqual([1, 3])
    expect(await store.events.after(0, { limit: 10, types: [] })).toEqual([])
  })
})

describe('the clock', () => {
  test('never runs backwards, whoever asks', async () => {
    await using workspace = await createWorkspace()
    const [one, other] = [await workspace.open(), await workspace.open()]
    expect(await one.write((tx) => tx.now(NOW))).toBe(NOW)
    expect(await other.write((tx) => tx.now(NOW - 60_000))).toBe(NOW)
    expect(await other.write((tx) => tx.now(NOW + 1))).toBe(NOW + 1)
    expect(await one.write((tx) => tx.now(NOW))).toBe(NOW + 1)
  })

  test('goes on, at its own pace, when somebody else’s was far ahead', async () => {
    await using workspace = await createWorkspace()
    const [ahead, right] = [await workspace.open(), await workspace.open()]
    const at = (wallClock: number) => right.write((tx) => tx.now(wallClock))
    const YEAR = 365 * 24 * 3_600_000
    await ahead.write((tx) => tx.now(NOW + YEAR))
    expect(await at(NOW)).toBe(NOW + YEAR)
    expect(await right.now(NOW + 400)).toBe(NOW + YEAR + 400)
    expect(await at(NOW + 1000)).toBe(NOW + YEAR + 1000)
    // A third that is late adds nothing, however often they take turns.
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await at(NOW - 60_000)).toBe(NOW + YEAR + 1000)
      expect(await at(NOW + 1000)).toBe(NOW + YEAR + 1000)
    }
    expect(await ahead.write((tx) => tx.now(NOW + YEAR + 5000))).toBe(NOW + YEAR + 5000)
    expect(await at(NOW + 2000)).toBe(NOW + YEAR + 5000)
    expect(await at(NOW + 2500)).toBe(NOW + YEAR + 5500)
    expect(await at(NOW + 2 * YEAR)).toBe(NOW + 2 * YEAR)
  })

  test('is not moved by a write that fails', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const failing = store.write(async (tx) => {
      await tx.now(NOW + 1_000_000)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await store.write((tx) => tx.now(NOW))).toBe(NOW)
  })
})
