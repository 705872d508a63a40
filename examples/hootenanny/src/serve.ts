import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { openSqliteSessionStore } from '@waymark/baton/node'
import { createApp } from './app.ts'
import { createMetrics } from './metrics.ts'
import { createStudioServer } from './server.ts'
import { openStudio } from './studio.ts'
import type { StudioOptions } from './studio.ts'

export interface ServeOptions extends StudioOptions {
  /** A free one if absent. */
  readonly port?: number | undefined
  /** Milliseconds until a task counts as abandoned whose process is gone. */
  readonly leaseMs?: number | undefined
}

/** How long a session outlives its last message, with a stream and without. */
const SESSION_TTL_MS = 30 * 60_000

/** A studio that listens. */
export interface ServedStudio extends AsyncDisposable {
  /** Without a path. */
  readonly url: string
}

/** Loopback only, because there is no authentication. */
const HOST = '127.0.0.1'

/** Opens a studio and serves it on one port. */
export async function serveStudio(options: ServeOptions): Promise<ServedStudio> {
  const opened: AsyncDisposable[] = []
  const keep = <T extends AsyncDisposable>(part: T): T => {
    opened.unshift(part)
    return part
  }
  const close = async (): Promise<void> => {
    for (const part of opened) await part[Symbol.asyncDispose]()
  }
  try {
    return { url: await assemble(options, keep), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Builds everything and says where it is; what `keep` is given is closed in reverse order. */
async function assemble(
  options: ServeOptions,
  keep: <T extends AsyncDisposable>(part: T) => T,
): Promise<string> {
  const studio = keep(await openStudio(options))
  const path = join(options.stateFolder, 'sessions.db')
  const sessions = keep(
    await openSqliteSessionStore({
      path,
      limits: { connectedIdleMs: SESSION_TTL_MS, disconnectedIdleMs: SESSION_TTL_MS },
      ...(options.now !== undefined && { now: options.now }),
    }),
  )
  const metrics = keep(createMetrics(studio, sessions))
  const { http, port } = await listen(options.port ?? 0)
  keep({
    async [Symbol.asyncDispose]() {
      http.close()
      http.closeAllConnections()
      await Promise.resolve()
    },
  })

  // The port is known only now, and hosts are checked with theirs.
  const url = `http://${HOST}:${port}`
  const allowedHosts = [`${HOST}:${port}`, `localhost:${port}`]
  const server = keep(
    createStudioServer(studio, {
      sessions,
      allowedHosts,
      urlOf: (hash) => `${url}/cas/${hash}`,
      leaseMs: options.leaseMs,
    }),
  )
  const app = await createApp({ studio, server, sessions, metrics, allowedHosts })
  const answer = getRequestListener(app.fetch)
  http.on('request', (request, response) => void answer(request, response))
  // Closed first, so that aborted waits for a job do not cancel the job.
  keep(studio.jobs)
  // Sessions are there before the first job ends, so that their clients will hear of it.
  await server.restoreSessions()
  studio.jobs.start()
  return url
}

async function listen(wanted: number): Promise<{ readonly http: Server; readonly port: number }> {
  const http = createServer()
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(wanted, HOST, resolve)
  })
  return { http, port: (http.address() as AddressInfo).port }
}
