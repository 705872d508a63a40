import { expect, it } from 'vitest'
import { type Client, Pool } from '../../src/core/postgres/pool.ts'
import { Pipeline } from '../../src/core/postgres/wire/pipeline.ts'

const URL = process.env['WAYMARK_DATABASE_URL'] ?? ''
/** The protocol counts parameters in 16 bits. */
const TOO_MANY = 70_000

it('of a statement that cannot be sent nothing reaches the next one, on this connection or another [postgres-unsendable]', async () => {
  await using pool = new Pool({ url: URL })
  await pool.use(async (client) => {
    const pipeline = new Pipeline(client, 'public')
    const before = pipeline.queue('CREATE TEMP TABLE unsendable (id integer)')
    const unsendable = pipeline.queue(
      'SELECT $1',
      Array.from({ length: TOO_MANY }, () => 1),
    )
    pipeline.flush()
    await expect(unsendable).rejects.toThrow('out of range')
    await expect(before).rejects.toThrow('out of range')
    expect(await isThere(client)).toBe(0)
    expect(await pool.use(isThere)).toBe(0)
  })
})

async function isThere(client: Client): Promise<unknown> {
  const pipeline = new Pipeline(client, 'public')
  const answer = pipeline.queue(`SELECT to_regclass('pg_temp.unsendable') IS NOT NULL AS there`)
  pipeline.flush()
  return (await answer).rows.map((row) => Object.values(row)[0]).at(0)
}
