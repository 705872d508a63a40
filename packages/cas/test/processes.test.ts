import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { bundleProgram } from '../../../scripts/vitest/bundle-program.ts'
import { bytesOf, setup } from './setup.ts'

function program(name: string): string {
  return bundleProgram(new URL(`${name}.program.ts`, import.meta.url))
}

function start(...args: string[]): ChildProcess {
  const command = [program('uploader'), ...args]
  return spawn(process.execPath, command, { stdio: ['pipe', 'inherit', 'inherit'] })
}

it('an upload that is killed is never seen [processes-upload-killed]', async () => {
  const { store, folder, files } = await setup()
  const child = start(folder)
  child.stdin?.on('error', () => {})
  child.stdin?.write(Buffer.alloc(1_000_000, 'x'))
  const part = await vi.waitFor(
    async () => {
      const [name = ''] = await files()
      expect((await stat(join(folder, name))).size).toBe(1_000_000)
      return name
    },
    { timeout: 50_000, interval: 20 },
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(part).toMatch(/^incoming\/.+\.part$/)
  for await (const entry of store.list()) expect(entry).toBeUndefined()
  await store.put(bytesOf('next'))
  expect(await store.sweep({ olderThanMs: 0 })).toBe(1)
  expect(await files()).toHaveLength(1)
})

it('eight processes store the same and different contents at once [processes-eight-store]', async () => {
  const { store, folder, files } = await setup()
  const children = Array.from({ length: 8 }, (_, index) => start(folder, String(index)))
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual(codes.map(() => 0))
  const found: string[] = []
  for await (const { hash } of store.list()) {
    expect(await store.verify(hash)).toBe('intact')
    found.push(hash)
  }
  expect(found).toHaveLength(10 + 8 * 10)
  expect(await files()).toHaveLength(found.length)
})

it('a content of any size goes in and out piece by piece', async () => {
  const { folder } = await setup()
  const command = ['--expose-gc', program('memory'), folder]
  const held = Number(execFileSync(process.execPath, command, { encoding: 'utf8' }))
  expect(held).toBeGreaterThan(0)
  expect(held).toBeLessThan(30_000_000)
})

// A mount that ends with its process; not every machine allows it.
const namespace = ['--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])]
const inTmpfs = [...namespace, 'sh', '-c', 'mount -t tmpfs -o size=2m none "$0" && exec "$@"']
const isPossible = spawnSync('unshare', [...inTmpfs, '/mnt', 'true']).status === 0

it.skipIf(!isPossible)('a full disk refuses a content and nothing is left of it', async () => {
  const { folder } = await setup()
  await mkdir(folder)
  const command = [...inTmpfs, folder, process.execPath, program('full-disk'), folder]
  const outcome: unknown = JSON.parse(execFileSync('unshare', command, { encoding: 'utf8' }))
  expect(outcome).toEqual({ code: 'no_space', state: 'intact', files: 1 })
})
