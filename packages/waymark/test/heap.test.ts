import { spawnSync } from 'node:child_process'
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

test('V8 knows the flags that are set: of others it would write to standard error [heap-known-flags]', () => {
  const heap = new URL('../src/support/heap.ts', import.meta.url).href
  const program = `import(${JSON.stringify(heap)}).then((heap) => {
    for (const each of Object.values(heap)) each()
    console.log('set')
  })`
  const args = ['--import', 'tsx', '--eval', program]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ stdout, stderr }).toEqual({ stdout: 'set\n', stderr: '' })
})
