import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { contentFiles } from '../operations/artifacts/files.ts'
import { createProject } from '../setup.ts'
import { waymark, WAYMARK } from './binary.ts'

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * n) % 256))

function start(cwd: string, args: readonly string[]) {
  return spawn(process.execPath, [WAYMARK, ...args], { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
}

it('bytes go in through a pipe or a file and come out the same', async () => {
  await using repository = await createProject()
  const { directory } = repository
  const add = start(directory, ['artifact', 'add', '-', '--name', 'x.bin', '--json'])
  add.stdin.end(BYTES)
  const added = JSON.parse(String(await buffer(add.stdout))) as { id: string; hash: string }
  expect(added).toMatchObject({ name: 'x.bin', size: BYTES.length })

  const get = start(directory, ['artifact', 'get', added.id, '--json'])
  get.stdin.end()
  expect((await buffer(get.stdout)).equals(BYTES)).toBe(true)

  const { out } = await waymark(directory, ['artifact', 'get', added.hash, '-o', 'y.bin'])
  expect(out).toBe('300 kB written to y.bin\n')
  expect(readFileSync(join(directory, 'y.bin')).equals(BYTES)).toBe(true)
  const again = await waymark(directory, ['artifact', 'add', 'y.bin', '--parent', added.id])
  expect(again.exit).toBe(0)
  expect((await waymark(directory, ['artifacts'])).out.trim().split('\n')).toHaveLength(2)
  expect((await waymark(directory, ['artifact', 'lineage', added.id])).out).toMatch(
    /^\w{8} x\.bin, 300 kB\n  \w{8} y\.bin, 300 kB\n$/,
  )
  expect(contentFiles(repository)).toHaveLength(1)
})

it('an upload that is killed leaves nothing that anybody sees', async () => {
  await using repository = await createProject()
  const { directory } = repository
  const child = start(directory, ['artifact', 'add', '-'])
  child.stdin.on('error', () => {})
  child.stdin.write(BYTES)
  await vi.waitFor(
    () =>
      expect(contentFiles(repository).map((path) => statSync(path).size)).toEqual([BYTES.length]),
    { timeout: 50_000, interval: 20 },
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await waymark(directory, ['artifact', 'list'])).out).toBe('no artifacts\n')
  expect(contentFiles(repository).filter((path) => path.includes('objects'))).toEqual([])
  const { exit, out } = await waymark(directory, ['store', 'check'])
  expect([exit, out]).toEqual([0, expect.stringContaining('0 contents, all as they were stored')])
})

it('what is too large is refused in words, and nothing is left of it', async () => {
  await using repository = await createProject()
  const { directory } = repository
  writeFileSync(join(directory, 'big.bin'), BYTES)
  const refused = await waymark(directory, ['artifact', 'add', 'big.bin'], {
    WAYMARK_MAX_ARTIFACT_BYTES: '1000',
  })
  expect(refused).toMatchObject({
    exit: 2,
    err: 'error: the content is larger than the limit of 1000 bytes\n',
  })
  expect(contentFiles(repository)).toEqual([])
})
