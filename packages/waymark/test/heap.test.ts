import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collectGarbage } from '../src/support/heap.ts'

test('a collection frees what nothing refers to any more', async () => {
  const dropped = new WeakRef({ text: 'x'.repeat(1000) })
  // The target of a WeakRef lives until the end of the turn that made it.
  await nextTurn()
  collectGarbage()
  expect(dropped.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})
