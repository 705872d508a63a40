import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import { createOrpheusService } from '../src/generator/orpheus-service.ts'
import { fetchContent, generate, startStudio } from './support.ts'

describe('one port', () => {
  it('has MCP, contents, health and metrics on it [http-mcp-contents]', async () => {
    await using studio = await startStudio()
    const { result } = await generate(studio.client, 'orpheus_generate', { bars: 1 })
    const content = await fetchContent(studio.url, result.output_hashes[0] ?? '')
    expect(Buffer.from(content).toString('latin1', 0, 4)).toBe('MThd')
    const posted = await fetch(`${studio.url}/cas`, { method: 'POST', body: 'over the same port' })
    const stored = await fetchContent(studio.url, await posted.text())
    expect(Buffer.from(stored).toString()).toBe('over the same port')
    const health = await fetch(`${studio.url}/health`)
    expect(await health.json()).toEqual({
      status: 'ok',
      uptime_secs: expect.any(Number) as number,
      version: '0.1.0',
      sessions: { total: 1, connected: expect.any(Number) as number },
      jobs: { pending: 0, running: 0 },
    })
    const metrics = await fetch(`${studio.url}/metrics`)
    expect(metrics.headers.get('content-type')).toContain('text/plain; version=0.0.4')
    const text = await metrics.text()
    expect(text).toMatch(/^target_info\{service_name="hootenanny"/m)
    expect(text).toMatch(/^# TYPE mcp_server_operation_duration histogram$/m)
    expect(text).toMatch(
      /mcp_server_operation_duration_count\{.*gen_ai_tool_name="orpheus_generate".*\} 1$/m,
    )
    expect(text).toMatch(/^hootenanny_artifacts\{.*\} 1$/m)
    expect(text).toMatch(/^hootenanny_jobs\{status="pending".*\} 0$/m)
  })

  it('keeps a session for 30 minutes after its last message, without a stream too [http-session-ttl]', async () => {
    let now = Date.now()
    await using studio = await startStudio({ now: () => now })
    const post = async (method: string, params: object, headers: Record<string, string> = {}) =>
      await fetch(`${studio.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    const begun = await post('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'without a stream', version: '1' },
    })
    await begun.text()
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
    const statuses: number[] = []
    for (const minutes of [0, 29, 29, 31]) {
      now += minutes * 60_000
      const answer = await post('ping', {}, session)
      statuses.push(answer.status)
      await answer.text()
    }
    expect(statuses).toEqual([200, 200, 200, 404])
  })

  it('is closed to foreign hosts and pages, on every route [http-closed-foreign]', async () => {
    await using studio = await startStudio()
    for (const path of ['/mcp', '/mcp/sse', '/cas', '/health', '/metrics']) {
      const response = await fetch(`${studio.url}${path}`, {
        headers: { origin: 'http://evil.test' },
      })
      expect([path, response.status]).toEqual([path, 403])
      const rebound = await new Promise<number | undefined>((resolve, reject) => {
        const { port } = new URL(studio.url)
        const options = { port, path, headers: { host: 'evil.test' } }
        get(options, (reply) => resolve(reply.resume().statusCode)).on('error', reject)
      })
      expect([path, rebound]).toEqual([path, 403])
    }
  })

  it('tells clients that look for an authorisation server that there is none', async () => {
    await using studio = await startStudio()
    for (const path of [
      'oauth-protected-resource',
      'oauth-authorization-server',
      'oauth-protected-resource/mcp',
    ]) {
      const response = await fetch(`${studio.url}/.well-known/${path}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toEqual({
        error: 'there is nothing here, and no authorisation is needed',
      })
    }
  })
})

describe('the Orpheus service', () => {
  /** A service that is busy once and then gives what it was told to. */
  async function startService(answer: (body: Record<string, unknown>) => object) {
    const bodies: Record<string, unknown>[] = []
    const service = createServer((request, response) => {
      const chunks: Buffer[] = []
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
          bodies.push(body)
          if (bodies.length === 1) response.writeHead(429, { 'retry-after': '0' }).end()
          else
            response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify(answer(body)))
        })
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
    return {
      url,
      bodies,
      [Symbol.asyncDispose]: async () =>
        void (await new Promise((resolve) => service.close(resolve))),
    }
  }

  async function midi(): Promise<string> {
    const request = {
      task: 'generate',
      model: 'base',
      temperature: 1,
      topP: 1,
      maxTokens: 99,
      variations: 1,
      seed: 1,
      bars: 1,
      inputs: [],
    } as const
    const context = { jobId: '', signal: new AbortController().signal, progress: () => {} }
    const [variation] = await createEmbeddedGenerator().generate(request, context)
    return Buffer.from(variation!.midi).toString('base64')
  }

  it('is asked again when it is busy, and what it makes is shelved as usual [http-asked-again]', async () => {
    const midi_base64 = await midi()
    await using service = await startService(() => ({
      variations: [{ midi_base64, num_tokens: 12 }],
    }))
    await using studio = await startStudio({ generator: createOrpheusService(service.url) })
    const job = await generate(studio.client, 'orpheus_generate', {
      temperature: 0.8,
      top_p: 0.9,
      max_tokens: 77,
    })
    expect(job.status).toBe('complete')
    expect(service.bodies).toHaveLength(2)
    expect(service.bodies[1]).toEqual({
      model: 'base',
      task: 'generate',
      temperature: 0.8,
      top_p: 0.9,
      max_tokens: 77,
      num_variations: 1,
      client_job_id: job.job_id,
    })
    expect(await studio.read('artifacts://recent')).toMatchObject([
      { data: { generator: 'orpheus', tokens: 12 } },
    ])
    const [input_hash] = job.result.output_hashes
    await generate(studio.client, 'orpheus_continue', { input_hash })
    expect(service.bodies[2]).toMatchObject({ task: 'continue', midi_input: midi_base64 })
  })

  it('is not asked for what it does not know [http-asked-know]', async () => {
    await using service = await startService(() => ({}))
    await using studio = await startStudio({ generator: createOrpheusService(service.url) })
    const hashes = await Promise.all(
      [1, 2].map(async () => {
        const stored = { content_base64: await midi(), mime_type: 'audio/midi' }
        return (await studio.call('cas_store', stored))['hash']
      }),
    )
    const [section_a_hash, section_b_hash] = hashes
    expect(await studio.refusal('orpheus_bridge', { section_a_hash, section_b_hash })).toContain(
      'leave section_b_hash out',
    )
    expect(await studio.refusal('orpheus_loops')).toContain('makes no loops')
    expect(service.bodies).toEqual([])
  })

  it('is not believed when it sends something else than MIDI', async () => {
    await using service = await startService(() => ({
      variations: [{ midi_base64: 'AAAA', num_tokens: 1 }],
    }))
    await using studio = await startStudio({ generator: createOrpheusService(service.url) })
    const job = await generate(studio.client, 'orpheus_generate')
    expect(job).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('MIDI') as string,
    })
    expect(await studio.read('artifacts://recent')).toEqual([])
  })
})
