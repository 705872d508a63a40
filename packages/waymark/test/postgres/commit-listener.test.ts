import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Pool } from '../../src/core/postgres/pool.ts'
import { createDatabase } from './team-site.ts'

it('a commit before the first poll is noticed when its notification is lost [poll-first]', async () => {
  await using database = await createDatabase()
  for (const schema of ['api', 'web']) {
    await database.query(`CREATE SCHEMA ${schema}`)
    await database.query(`CREATE TABLE ${schema}.project AS SELECT 0::bigint AS version`)
  }
  await using pool = new Pool({ url: database.url })
  // Polls from now on.
  const stop = pool.commits.watch('api', () => {})
  await sleep(1_200)
  let wakes = 0
  const stopWeb = pool.commits.watch('web', () => (wakes += 1))
  await database.query('UPDATE web.project SET version = version + 1')
  await expect.poll(() => wakes, { timeout: 10_000 }).toBe(1)
  await sleep(2_500)
  expect(wakes).toBe(1)
  stop()
  stopWeb()
})
