import { rmSync } from 'node:fs'
import { createServerFolder, type PostgresServer, startPostgres } from '../postgres/server.ts'

let server: PostgresServer | undefined
let folder = ''

/** One PostgreSQL server for the whole run, in memory; its address is inherited by the workers. */
export async function setup(): Promise<void> {
  folder = createServerFolder()
  server = await startPostgres({ folder })
  process.env['TEST_POSTGRES_URL'] = server.url
}

export async function teardown(): Promise<void> {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
