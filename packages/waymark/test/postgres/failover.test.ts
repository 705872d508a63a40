import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import {
  createServerFolder,
  createStandby,
  startPostgres,
} from '../../../../scripts/postgres/server.ts'
import { openPostgres } from '../../src/core/postgres/open.ts'
import { Pool } from '../../src/core/postgres/pool.ts'
import { migrateProject } from '../../src/core/postgres/schema/schema.ts'
import { createStore, type Store } from '../../src/core/store/store.ts'
import { takeProject } from './recycled-project.ts'

describe('a failover to a standby', () => {
  it('is waited for while the standby only reads, and loses nothing [failover-waits]', async () => {
    await using pair = await startPair()
    await using store = await pair.open()
    await write(store, 'before')
    await pair.untilReplicated()
    await pair.primary.kill()
    pair.switchOver()
    const writing = write(store, 'during')
    await sleep(300)
    await query(pair.standby.url, 'SELECT pg_promote(true)')
    await writing
    expect(await pair.subjects()).toEqual(['before', 'during'])
  })

  it('does not pass off a commit that the standby never had as kept [failover-unknown]', async () => {
    await using pair = await startPair()
    await using store = await pair.open()
    await write(store, 'before')
    await pair.untilReplicated()
    await pair.standby.kill()
    pair.holdCommits()
    const writing = write(store, 'lost').then(
      () => 'acknowledged',
      () => 'refused',
    )
    await pair.untilHeld()
    await pair.primary.kill()
    await pair.restartStandby()
    await query(pair.standby.url, 'SELECT pg_promote(true)')
    // Its number is given to another transaction, which is committed.
    for (let at = 0; at < 20; at += 1) await query(pair.standby.url, 'SELECT pg_current_xact_id()')
    pair.switchOver()
    expect(await writing).toBe('refused')
    expect(await pair.subjects()).toEqual(['before'])
  })
})

describe('a write that the server asks to repeat', () => {
  it.each(['40001', '40P01'])('is repeated as a whole, after %s too', async (state) => {
    const url = process.env['WAYMARK_DATABASE_URL'] ?? ''
    const { projectId, recycle } = await takeProject(url)
    await using store = createStore(await openPostgres(projectId, url))
    let tries = 0
    await using engine = await openPostgres(projectId, url)
    const outcome = await engine.write(async (sql) => {
      await sql.run('UPDATE counter SET value = value + 1 WHERE name = ?', ['message'])
      tries += 1
      if (tries === 1)
        await sql.run(`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${state}'; END $$`)
      return await sql.get('SELECT value FROM counter WHERE name = ?', ['message'])
    })
    expect([tries, outcome]).toEqual([2, { value: 1 }])
    await write(store, 'afterwards')
    await recycle()
  })
})

async function write(store: Store, title: string): Promise<void> {
  await store.write(async (tx) => {
    await tx.events.append({ type: 'note.created', subject: title, at: 0, agent: null, data: {} })
  })
}

/** A primary and a standby behind an address that leads to one of them. */
async function startPair() {
  const root = createServerFolder()
  chmodSync(root, 0o711)
  const [first, second] = [join(root, 'a'), join(root, 'b')]
  for (const folder of [first, second]) mkdirSync(folder, { mode: 0o711 })
  const settings = { wal_level: 'replica', max_wal_senders: '4', wal_keep_size: '128MB' }
  const shared = { isDurable: true, programs: join(root, 'postgres') }
  const primary = await startPostgres({ ...shared, folder: first, settings })
  const projectId = crypto.randomUUID()
  {
    await using pool = new Pool({ url: primary.url })
    await migrateProject(pool, { projectId, createdAt: 0 })
  }
  const control = new pg.Client(primary.url)
  control.on('error', () => {})
  await control.connect()
  await control.query("SELECT pg_backup_start('standby', true)")
  await createStandby({
    from: first,
    folder: second,
    stopBackup: async () =>
      (await control.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)'))
        .rows[0]?.labelfile ?? '',
  })
  const following = { ...settings, primary_conninfo: `host=${first} port=5432 user=waymark` }
  const startStandby = () => startPostgres({ ...shared, folder: second, settings: following })
  let standby = await startStandby()
  let target = first
  let isHolding = false
  let onHeld = (): void => {}
  const held = new Promise<void>((resolve) => (onHeld = resolve))
  const sockets = new Set<Socket>()
  const relay = createServer({ noDelay: true }, (client) => {
    const server = connectSocket(join(target, '.s.PGSQL.5432'))
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
    let isHeld = false
    client.on('data', (bytes: Buffer) => {
      if (isHolding && bytes.includes('COMMIT') && !bytes.includes('READ ONLY')) isHeld = true
      server.write(bytes)
    })
    server.on('data', (bytes: Buffer) => {
      if (isHeld) onHeld()
      else client.write(bytes)
    })
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as { port: number }
  const url = `postgres://waymark@127.0.0.1:${port}/waymark`
  return {
    primary,
    get standby() {
      return standby
    },
    open: async () => createStore(await openPostgres(projectId, url)),
    switchOver: () => {
      target = second
      isHolding = false
    },
    holdCommits: () => (isHolding = true),
    untilHeld: () => held,
    restartStandby: async () => {
      standby = await startStandby()
    },
    untilReplicated: async () => {
      const isBehind = `SELECT 1 FROM pg_stat_replication
        WHERE state = 'streaming' AND replay_lsn >= pg_current_wal_lsn()`
      while ((await control.query(isBehind)).rowCount === 0) await sleep(20)
    },
    subjects: async () => {
      await using engine = await openPostgres(projectId, standby.url)
      const rows = await engine.all<{ subject: string }>('SELECT subject FROM event ORDER BY id')
      return rows.map(({ subject }) => subject)
    },
    [Symbol.asyncDispose]: async () => {
      relay.close()
      for (const socket of sockets) socket.destroy()
      await control.end().catch(() => {})
      await standby.kill()
      await primary.kill()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}
