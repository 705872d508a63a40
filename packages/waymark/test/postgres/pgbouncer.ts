import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServerFolder } from '../../../../scripts/postgres/server.ts'

const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
)

export const hasPgBouncer = PROGRAM !== undefined

/** It refuses to run as root. */
const NOBODY = 65_534

/** PgBouncer in front of a server, lending few connections for a transaction each. */
export async function startPgBouncer(
  databaseUrl: string,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const { pathname, searchParams } = new URL(databaseUrl.replace('@/', '@localhost/'))
  const folder = createServerFolder()
  const port = await findPort()
  const path = join(folder, 'pgbouncer.ini')
  writeFileSync(
    path,
    `[databases]
* = host=${searchParams.get('host')} port=${searchParams.get('port')} user=waymark
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
server_reset_query_always = 1
`,
  )
  const isRoot = process.getuid?.() === 0
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(path, NOBODY, NOBODY)
  const child = spawn(PROGRAM ?? 'pgbouncer', [path], {
    stdio: 'ignore',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  })
  const ended = once(child, 'exit')
  const died = ended.then(([code]) => {
    throw new Error(`pgbouncer ended with ${code}`)
  })
  await Promise.race([untilListening(port), died])
  died.catch(() => {})
  return {
    url: `postgres://waymark@127.0.0.1:${port}${pathname}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await sleep(20)
    } finally {
      socket.destroy()
    }
  }
}
