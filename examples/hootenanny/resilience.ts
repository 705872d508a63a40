// Kills the studio in mid-generation and shows what is still there afterwards: npm run example:hootenanny:resilience
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startProcess } from './studio-process.ts'

const LONG = { bars: 60, max_tokens: 100_000, seed: 2026, style: 'folk', key: 'G' }
const SHORT = { bars: 1, seed: 7 }

/** An official client and what it hears; with a session id it goes on with that session. */
async function connect(url: string, sessionId?: string) {
  const client = new Client({ name: 'resilience', version: '1.0.0' })
  const heard: string[] = []
  client.fallbackNotificationHandler = ({ method, params }) => {
    const { uri, data } = params as { uri?: string; data?: { job_id: string; status: string } }
    heard.push(data === undefined ? `${method} ${uri}` : `${data.job_id} ${data.status}`)
    return Promise.resolve()
  }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    ...(sessionId !== undefined && { sessionId }),
  })
  // The official type has a property that may be undefined, which its own interface does not allow.
  await client.connect(transport as Parameters<Client['connect']>[0])
  // Makes this client open the stream for what the server says by itself; it does so after `initialize` only.
  if (sessionId !== undefined) await client.notification({ method: 'notifications/initialized' })
  return { client, heard, sessionId: transport.sessionId ?? '' }
}

async function call(client: Client, name: string, args: object): Promise<Record<string, unknown>> {
  const { structuredContent } = await client.callTool({ name, arguments: { ...args } })
  return structuredContent as Record<string, unknown>
}

/** Looks at a job until it is as wanted. */
async function watch(
  client: Client,
  jobId: unknown,
  isWanted: (job: Record<string, unknown>) => boolean,
) {
  for (;;) {
    const job = await call(client, 'get_job_status', { job_id: jobId })
    if (isWanted(job)) return job
    await call(client, 'sleep', { milliseconds: 50 })
  }
}

const stateFolder = await mkdtemp(join(tmpdir(), 'hootenanny-'))
const first = await startProcess(stateFolder, '--bar-ms', '1000')
const ada = await connect(first.url)
await ada.client.setLoggingLevel('info')
await ada.client.subscribeResource({ uri: 'artifacts://recent' })
const { job_id: long } = await call(ada.client, 'orpheus_generate', LONG)
await watch(ada.client, long, ({ progress }) => ((progress as { done: number })?.done ?? 0) > 0)
console.log(`session ${ada.sessionId.slice(0, 8)}… waits for job ${String(long)}`)

await ada.client.close()
console.log('the client loses its connection; meanwhile another client starts a job')
const bob = await connect(first.url)
const { job_id: short } = await call(bob.client, 'orpheus_generate', SHORT)
await watch(bob.client, short, ({ status }) => status === 'complete')
// A subscription is on disk when it is answered, and so is everything that was said before.
await bob.client.subscribeResource({ uri: 'artifacts://summary' })
await first.kill()
await bob.client.close()
console.log('the studio is killed, in the middle of the long job, and started again')

const second = await startProcess(stateFolder)
const back = await connect(second.url, ada.sessionId)
const job = await watch(back.client, long, ({ status }) => status === 'complete')
assert.equal(job['attempts'], 2)
console.log(
  `the same session goes on, and the job was finished at attempt ${String(job['attempts'])}`,
)

const expected = [
  `${String(short)} complete`,
  `${String(long)} running`,
  `${String(long)} complete`,
]
while (!expected.every((event) => back.heard.includes(event)))
  await call(back.client, 'sleep', { milliseconds: 50 })
assert.ok(back.heard.includes('notifications/resources/updated artifacts://recent'))
assert.equal(new Set(back.heard.filter((event) => event.includes(String(short)))).size, 2)
console.log(`it hears what it missed: ${back.heard.length} events from before and after the kill`)

const { result } = job as { result: { output_hashes: string[] } }
const again = await call(back.client, 'orpheus_generate', LONG)
const same = await watch(back.client, again['job_id'], ({ status }) => status === 'complete')
assert.deepEqual(
  (same as typeof job & { result: typeof result }).result.output_hashes,
  result.output_hashes,
)
console.log('the interrupted job made the same music as one that was not')

await back.client.close()
await second.kill()
await rm(stateFolder, { recursive: true, force: true, maxRetries: 5 })
