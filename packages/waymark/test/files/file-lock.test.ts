import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withFileLock } from '../../src/support/files/file-lock.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  path = join(folder, 'a.lock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const isLocked = async () => await withFileLock(path, 50, async (lock) => lock !== undefined)

it('work is told that it has no lock, and the lock of another stays [file-lock-busy]', async () => {
  await withFileLock(path, 50, async (lock) => {
    const holder = readFileSync(path, 'utf8')
    expect(await isLocked()).toBe(false)
    expect(readFileSync(path, 'utf8')).toBe(holder)
    expect(lock?.isHeld()).toBe(true)
  })
  expect(existsSync(path)).toBe(false)
  expect(await isLocked()).toBe(true)
})

it('the lock of an ended process is taken over at once, any other one when it is old', async () => {
  writeFileSync(path, `999999999 ${hostname()}`)
  expect(await isLocked()).toBe(true)
  writeFileSync(path, '1 elsewhere')
  expect(await isLocked()).toBe(false)
  utimesSync(path, 0, 0)
  expect(await isLocked()).toBe(true)
})

it('who lost the lock knows it, and does not remove that of its successor [file-lock-lost]', async () => {
  await withFileLock(path, 50, async (lock) => {
    writeFileSync(path, '1 elsewhere')
    expect(lock?.isHeld()).toBe(false)
  })
  expect(readFileSync(path, 'utf8')).toBe('1 elsewhere')
})
