import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, retryWhileBusy } from '@waymark/sqlite'
import { expect, test } from 'vitest'
import { createFolder } from './folder.ts'

test('a step is retried until the lock is free, and the event loop goes on meanwhile', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const holder = new Connection(path, 'create')
  holder.exec('CREATE TABLE t (a); BEGIN IMMEDIATE')
  const waiter = new Connection(path, 'write')
  const begun = retryWhileBusy(() => waiter.exec('BEGIN IMMEDIATE'), 60_000)
  await sleep(30)
  holder.exec('COMMIT')
  await begun
  expect(waiter.inTransaction).toBe(true)
  waiter.close()
  holder.close()
})

test('a lock that is held for too long is an error', async () => {
  using folder = createFolder()
  const path = join(folder.path, 'a.db')
  const holder = new Connection(path, 'create')
  holder.exec('CREATE TABLE t (a); BEGIN IMMEDIATE')
  const waiter = new Connection(path, 'write')
  const begun = retryWhileBusy(() => waiter.exec('BEGIN IMMEDIATE'), 20)
  await expect(begun).rejects.toMatchObject({ code: 'busy', message: 'database is locked' })
  waiter.close()
  holder.close()
})

test('any other error is thrown at once', async () => {
  let attempts = 0
  const failing = retryWhileBusy(() => {
    attempts += 1
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(attempts).toBe(1)
})
