import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { LockQueue } from '../../src/core/sqlite/lock-queue.ts'
import { linePath } from '../../src/core/store/state-folder.ts'
import { createEntity, createFolder, createWorkspace, insertEntity } from './workspace.ts'

function setup() {
  const folder = createFolder()
  const time = { now: 1000 }
  const path = join(folder.path, 'line')
  return {
    path,
    time,
    join: () => new LockQueue(path, () => (time.now += 1)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

it('whoever waits longer is ahead, and who has not begun to wait is behind all', () => {
  using line = setup()
  const [first, second, third] = [line.join(), line.join(), line.join()]
  expect(first.ahead()).toBe(0)
  first.wait()
  second.wait()
  first.wait()
  expect([first.ahead(), second.ahead(), third.ahead()]).toEqual([0, 1, 2])
  first.leave()
  expect([second.ahead(), third.ahead()]).toEqual([0, 1])
  // Who comes back is the last.
  third.wait()
  first.wait()
  expect([second.ahead(), third.ahead(), first.ahead()]).toEqual([0, 1, 2])
  for (const each of [first, second, third]) each.close()
})

it('nobody waits for one that gives no sign of life; when it comes back, its place is its own', () => {
  using line = setup()
  const [paused, other] = [line.join(), line.join()]
  paused.wait()
  other.wait()
  line.time.now += 1000
  expect(other.ahead()).toBe(0)
  other.wait()
  paused.wait()
  expect([paused.ahead(), other.ahead()]).toEqual([0, 1])
  for (const each of [paused, other]) each.close()
})

it('more may wait than there are places', () => {
  using line = setup()
  // On a clock that stands still all are alive.
  const all = Array.from({ length: 140 }, () => new LockQueue(line.path, () => 5000))
  for (const each of all) {
    each.ahead()
    each.wait()
  }
  const first = all.filter((each) => each.ahead() === 0)
  expect(first.length).toBeGreaterThan(0)
  for (const each of first) each.leave()
  expect(all.filter((each) => each.ahead() === 0).length).toBeGreaterThan(0)
  for (const each of all) each.close()
})

it.each([
  ['nothing but ones', Buffer.alloc(3072, 0xff)],
  ['endless numbers', Buffer.from(new Float64Array(384).fill(Number.POSITIVE_INFINITY).buffer)],
  ['signs from a future', Buffer.from(new Float64Array(384).fill(1e9).buffer)],
  ['a text that is too short', Buffer.from('short')],
])('%s in the file keep nobody from trying', (_what, bytes) => {
  using line = setup()
  writeFileSync(line.path, bytes)
  const one = line.join()
  expect(one.ahead()).toBe(0)
  one.wait()
  expect(one.ahead()).toBe(0)
  one.close()
})

it('without a folder there is no order, and no error', () => {
  using line = setup()
  const one = new LockQueue(join(line.path, 'missing', 'line'))
  one.wait()
  expect(one.ahead()).toBe(0)
  one.close()
})

it('nothing is left of those who have gone', () => {
  using line = setup()
  const one = line.join()
  one.wait()
  one.close()
  expect(readFileSync(line.path).every((byte) => byte === 0)).toBe(true)
})

it('whoever has given up all that it wanted to write leaves the line', async () => {
  await using workspace = await createWorkspace()
  const store = await workspace.open()
  await createEntity(store)
  const path = linePath(workspace.stateDir)
  const [observer, ...ahead] = [0, 1, 2].map(() => new LockQueue(path))
  const waitOn = (): void => {
    for (const each of ahead) each.wait()
  }
  waitOn()
  const alive = setInterval(waitOn, 20)
  try {
    const stop = new AbortController()
    // On a machine that stands still for a moment those ahead are taken for dead, and the write gets through.
    for (let isWaiting = false; !isWaiting;) {
      const written = store.write(async (tx) => insertEntity(tx), { signal: stop.signal })
      const settled = written.then(
        () => false,
        () => true,
      )
      const waits = vi
        .waitFor(() => expect(observer?.ahead()).toBe(3), 60_000)
        .then(
          () => true,
          () => false,
        )
      isWaiting = await Promise.race([settled, waits])
      if (isWaiting) stop.abort()
      await settled
    }
    // Closing waits for what is being written; those ahead never finish here.
    await store[Symbol.asyncDispose]()
  } finally {
    clearInterval(alive)
    for (const each of [...ahead, observer]) each?.close()
  }
})
