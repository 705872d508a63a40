import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openPool, openPostgres } from '../../src/core/postgres/open.ts'
import { Pool } from '../../src/core/postgres/pool.ts'
import { migrateProject } from '../../src/core/postgres/schema/schema.ts'
import { type Passage, startRelay } from './relay.ts'

const DATABASE = process.env['WAYMARK_DATABASE_URL'] ?? ''

it('gives nobody a connection with the transaction of another [postgres-no-leftover]', async () => {
  await using pool = new Pool({ url: DATABASE, connections: 1 })
  const failing = pool.use(async (client) => {
    await client.query('BEGIN')
    await client.query('SELECT 1 / 0')
  })
  await expect(failing).rejects.toThrow('division by zero')
  await pool.use((client) => client.query('BEGIN'))
  const { rows } = await pool.use((client) =>
    client.query('SELECT now() = statement_timestamp() AS first'),
  )
  expect(rows).toEqual([{ first: 1 }])
})

it('lets a call fail alone whose further statements are refused late [postgres-late-refusals]', async () => {
  const projectId = crypto.randomUUID()
  await using shared = openPool(DATABASE)
  await migrateProject(shared.pool, { projectId, createdAt: 0 })
  await using wire = await startRelay(DATABASE, answerOneByOne)
  await using engine = await openPostgres(projectId, wire.url)
  const write = (name: string, divisor: number) =>
    engine.write(async (sql) => {
      await sql.send('INSERT INTO counter (name, value) VALUES (?, 1)', [name])
      // Two answers are still to come when the first of them has failed.
      const more = [1, 2, 3].map((dividend) =>
        sql.get('SELECT CAST(? AS bigint) / CAST(? AS bigint) AS q', [dividend, divisor]),
      )
      await Promise.all(more)
      return name
    })
  // Often: they share a transaction unless the machine is busy.
  for (let round = 0; round < 10; round += 1) {
    const [first, last] = [`first ${round}`, `last ${round}`]
    const writes = [write(first, 1), write('never', 0), write(last, 2)]
    expect(await Promise.allSettled(writes)).toEqual([
      { status: 'fulfilled', value: first },
      { status: 'rejected', reason: expect.objectContaining({ message: 'division by zero' }) },
      { status: 'fulfilled', value: last },
    ])
  }
})

/** The end of the answer to one statement. */
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5])

/** As a server that is busy: answers to statements that were sent together arrive one by one. */
function answerOneByOne(): Passage {
  let arrived = Promise.resolve()
  const toClient: Passage['toClient'] = (chunk, send) => {
    for (let from = 0; from < chunk.length;) {
      const at = chunk.indexOf(READY, from)
      const to = at === -1 ? chunk.length : at + READY.length + 1
      const part = chunk.subarray(from, to)
      arrived = arrived.then(async () => {
        await nextTurn()
        send(part)
      })
      from = to
    }
  }
  return { toServer: (chunk, send) => send(chunk), toClient }
}
