// Lets sessions live and end under the real OpenTelemetry SDK and prints what its exporters got.
import { createServer } from '@waymark/baton'
import { createHttpHandler, MemorySessionStore } from '@waymark/baton/http'
import { recordTelemetry } from '../support/telemetry-recorder.ts'
import { LegacyClient } from './http-client.ts'

const recorder = recordTelemetry()

let time = 1_800_000_000_000
const now = (): number => time
const store = new MemorySessionStore({ now })
const server = createServer({ name: 'traced', version: '1.0.0' })
const url = 'http://localhost:4120/mcp'

const first = createHttpHandler(server, { authenticator: 'none', store, now })
const client = await LegacyClient.connect({ url, send: first.fetch })
await reported('mcp.session.created')
await first.close(0)
time += 1_500
const second = createHttpHandler(server, { authenticator: 'none', store, now })
const resumed = new LegacyClient({ url, send: second.fetch })
resumed.sessionId = client.sessionId
await resumed.request('ping')
time += 2_500
await resumed.delete()

await reported('mcp.session.terminated')
const durations = await recorder.points('mcp.server.session.duration')
await second.close(0)

const steps = recorder
  .spans()
  .filter(({ name }) => name.startsWith('mcp.session.'))
  .map(({ name, attributes }) => ({ name, attributes }))

/** Telemetry is recorded asynchronously, so poll until it is there. */
async function reported(step: string): Promise<void> {
  while (!recorder.spans().some(({ name }) => name === step))
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}

process.stdout.write(JSON.stringify({ sessionId: client.sessionId, steps, durations }))
