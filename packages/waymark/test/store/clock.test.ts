import { describe, expect, test } from 'vitest'
import { createWorkspace, NOW } from './workspace.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const at = (time: number) => ({ now: () => time })
const running = (time: number, ms: number) => ({ ...at(time), uptime: () => ({ boot: 1, ms }) })

describe('the clock', () => {
  test('is monotonic across processes', async () => {
    await using workspace = await createWorkspace()
    const [one, other] = [await workspace.open(), await workspace.open()]
    expect(await one.write((tx) => tx.now(at(NOW)))).toBe(NOW)
    expect(await other.write((tx) => tx.now(at(NOW - 60_000)))).toBe(NOW)
    expect(await other.write((tx) => tx.now(at(NOW + 1)))).toBe(NOW + 1)
    expect(await one.write((tx) => tx.now(at(NOW)))).toBe(NOW + 1)
  })

  test('goes on by the uptime when the clock of another process was far ahead', async () => {
    await using workspace = await createWorkspace()
    const [ahead, right] = [await workspace.open(), await workspace.open()]
    await ahead.write((tx) => tx.now(running(NOW + DAY, HOUR)))
    expect(await right.write((tx) => tx.now(running(NOW, HOUR)))).toBe(NOW + DAY)
    expect(await right.now(running(NOW + 400, HOUR + 400))).toBe(NOW + DAY + 400)
    expect(await right.write((tx) => tx.now(running(NOW + 1000, HOUR + 1000)))).toBe(
      NOW + DAY + 1000,
    )
  })

  test('is read without a step of the wall clock until a write has moved leases along', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await store.write((tx) => tx.now(running(NOW, HOUR)))
    const set = running(NOW + DAY, HOUR + 60_000)
    expect(await store.now(set)).toBe(NOW + 60_000)
    expect(await store.write((tx) => tx.now(set))).toBe(NOW + DAY)
    expect(await store.now(set)).toBe(NOW + DAY)
  })

  test('is set by the wall clock when it is told to, and tells before by how much it was ahead', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    await store.write((tx) => tx.now(running(NOW + DAY, HOUR)))
    const right = running(NOW + 60_000, HOUR + 60_000)
    expect(await store.lead(right)).toBe(DAY)
    await store.write((tx) => tx.setTime(right))
    expect(await store.lead(right)).toBe(0)
    expect(await store.write((tx) => tx.now(running(NOW + 61_000, HOUR + 61_000)))).toBe(
      NOW + 61_000,
    )
  })

  test('is not moved by a write that fails', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const failing = store.write(async (tx) => {
      await tx.now(at(NOW + 1_000_000))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await store.write((tx) => tx.now(at(NOW)))).toBe(NOW)
  })
})
