import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { expect, it } from 'vitest'
import { connect, startStudio } from './support.ts'

const INFO = { name: 'test', version: '1.0.0' }
type AnyClient = Client1 | Client2

async function connectAll(url: string): Promise<Record<string, AnyClient>> {
  const oldSse = new Client1(INFO)
  await oldSse.connect(new SSEClientTransport(new URL(`${url}/mcp/sse`)))
  const legacy2 = new Client2(INFO, { versionNegotiation: { mode: 'legacy' } })
  await legacy2.connect(new Http2(new URL(`${url}/mcp`)))
  const modern2 = new Client2(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await modern2.connect(new Http2(new URL(`${url}/mcp`)))
  return { streamable1: await connect(url), oldSse, legacy2, modern2 }
}

async function structured(
  client: AnyClient,
  name: string,
  args: object,
): Promise<Record<string, unknown>> {
  const { structuredContent } = await client.callTool({ name, arguments: { ...args } })
  return structuredContent as Record<string, unknown>
}

it('official clients of both generations, over Streamable HTTP and the old SSE transport, work at once [clients-official-both]', async () => {
  await using studio = await startStudio()
  const clients = await connectAll(studio.url)
  const hashes = await Promise.all(
    Object.entries(clients).map(async ([name, client]) => {
      await structured(client, 'graph_bind', { id: name, name })
      const { job_id } = await structured(client, 'orpheus_generate', {
        bars: 2,
        seed: 4,
        creator: name,
      })
      await structured(client, 'poll', { timeout_ms: 10_000, job_ids: [job_id] })
      const job = await structured(client, 'get_job_status', { job_id })
      return (job['result'] as { output_hashes: string[] }).output_hashes[0]
    }),
  )
  expect(new Set(hashes).size).toBe(1)
  for (const [name, client] of Object.entries(clients)) {
    const { contents } = await client.readResource({ uri: 'graph://identities' })
    const identities = JSON.parse((contents[0] as { text: string }).text) as { id: string }[]
    expect(identities.map(({ id }) => id)).toEqual(Object.keys(clients).toSorted())
    const made = await client.readResource({ uri: `artifacts://by-creator/${name}` })
    expect(JSON.parse((made.contents[0] as { text: string }).text)).toHaveLength(1)
    const { messages } = await client.getPrompt({
      name: 'ensemble-jam',
      arguments: { style: 'folk' },
    })
    expect(JSON.stringify(messages)).toContain(
      'The studio has: legacy2, modern2, oldSse, streamable1.',
    )
  }
  const health = (await (await fetch(`${studio.url}/health`)).json()) as {
    sessions: { total: number }
  }
  // The studio's own client, three legacy ones; the modern one needs no session.
  expect(health.sessions.total).toBe(4)
  await Promise.all(Object.values(clients).map((client) => client.close()))
})
