// Serves a durable session store with given limits over HTTP on a given port, until it is killed.
import { createServer } from '@waymark/baton'
import type { SessionLimits } from '@waymark/baton/http'
import { z } from 'zod'
import { openSqliteSessionStore } from '@waymark/baton/node'
import { listenHttp } from '@waymark/baton/node'

const [path = '', port = '0', givenLimits = '{}'] = process.argv.slice(2)

const limits = JSON.parse(givenLimits) as Partial<SessionLimits>
const store = await openSqliteSessionStore({ path, limits })
const server = createServer({ name: 'restart', version: '1.0.0' })
  .tool({
    name: 'emit',
    description: 'Tells the session so many times that a resource changed',
    inputSchema: z.object({ count: z.number(), uri: z.string().default('test://tick') }),
    run({ count, uri }) {
      for (let number = 0; number < count; number += 1) server.notify.resourceUpdated(uri)
      return { content: [{ type: 'text', text: String(count) }] }
    },
  })
  .tool({
    name: 'whoami',
    run: (_input, { client, clientCapabilities, protocolVersion, session }) => ({
      structuredContent: { client, clientCapabilities, protocolVersion, session },
    }),
  })
  .tool({
    name: 'log_all_levels',
    run(_input, context) {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) context.log(level, level)
      return { content: [{ type: 'text', text: 'logged' }] }
    },
  })
  .resource({
    name: 'tick',
    uri: 'test://tick',
    read: () => ({ contents: [{ uri: 'test://tick', text: '' }] }),
  })
const listener = await listenHttp(server, { authenticator: 'none', store, port: Number(port) })
process.stdout.write(`${listener.port}\n`)
