import { rmSync, utimesSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bellPath } from '../../src/core/store/state-folder.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Child } from './child.ts'
import { createEntity, createWorkspace } from './workspace.ts'

describe('a watcher', () => {
  test('hears the commits of another process', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const watcher = new Child('watcher', [workspace.stateDir])
    await watcher.line(1)
    for (let n = 1; n <= 5; n++) {
      await createEntity(store)
      expect(await watcher.line(1 + n)).toBe(String(n))
    }
    watcher.send('done')
    // A watcher that is still listening does not keep its process alive.
    expect(await watcher.finish()).toHaveLength(6)
  })

  test('hears its own commits', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const heard = nextCommit(store)
    await createEntity(store)
    await heard
  })

  test.each([true, false])('hears the last of a burst, urgent: %s', async (urgent) => {
    await using workspace = await createWorkspace()
    const [mine, other] = [await workspace.open(), await workspace.open()]
    const heard = new Promise<void>((resolve) => {
      const listener = async (): Promise<void> => {
        if ((await mine.events.latest()) === 5) resolve()
      }
      mine.watch(() => void listener(), { isUrgent: () => urgent })
    })
    for (let n = 1; n <= 5; n++) await createEntity(other)
    await heard
  })

  test('hears commits though the bell is gone', async () => {
    await using workspace = await createWorkspace()
    const [mine, other] = [await workspace.open(), await workspace.open()]
    rmSync(bellPath(workspace.stateDir))
    const heard = nextCommit(mine)
    await createEntity(other)
    await heard
  })

  test('is not called when the bell rings for nothing', async () => {
    await using workspace = await createWorkspace()
    const [mine, other] = [await workspace.open(), await workspace.open()]
    let calls = 0
    mine.watch(() => (calls += 1))
    utimesSync(bellPath(workspace.stateDir), 1, 1)
    const failing = other.write(async () => {
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    const heard = nextCommit(mine)
    await createEntity(other)
    await heard
    expect(calls).toBe(1)
  })

  test('that has stopped is not called any more, and does not stop the others', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const calls: string[] = []
    const stop = store.watch(() => calls.push('first'))
    store.watch(() => calls.push('second'))
    await createEntity(store)
    stop()
    stop()
    const heard = nextCommit(store)
    await createEntity(store)
    await heard
    expect(calls).toEqual(['first', 'second', 'second'])
  })
})

function nextCommit(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.watch(() => {
      stop()
      resolve()
    })
  })
}
