// Starts the studio: npm run example:hootenanny -- --port 8080
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createEmbeddedGenerator } from './src/generator/embedded.ts'
import { createOrpheusService } from './src/generator/orpheus-service.ts'
import { serveStudio } from './src/serve.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    'state-dir': { type: 'string', default: join(homedir(), '.hootenanny') },
    /** The only folder that upload_file reads; `inbox` in the state folder if absent. */
    uploads: { type: 'string' },
    /** An Orpheus service, such as http://127.0.0.1:2000; the embedded composer if absent. */
    'orpheus-url': { type: 'string' },
    /** Milliseconds that the embedded composer takes for a bar. */
    'bar-ms': { type: 'string', default: '0' },
    /** Milliseconds after which another process may take over the task of one that is gone. */
    'lease-ms': { type: 'string' },
  },
})

const orpheusUrl = values['orpheus-url']
const leaseMs = values['lease-ms']
const studio = await serveStudio({
  port: Number(values.port),
  stateFolder: resolve(values['state-dir']),
  uploadsFolder: values.uploads === undefined ? undefined : resolve(values.uploads),
  generator:
    orpheusUrl === undefined
      ? createEmbeddedGenerator({ barMs: Number(values['bar-ms']) })
      : createOrpheusService(orpheusUrl),
  leaseMs: leaseMs === undefined ? undefined : Number(leaseMs),
})
console.log(`hootenanny listens on ${studio.url}/mcp (older clients: ${studio.url}/mcp/sse)`)

const close = (): void => void studio[Symbol.asyncDispose]().then(() => process.exit())
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, close)
// Exit with a parent process that started it with an IPC channel, such as a test.
process.once('disconnect', () => process.exit())
