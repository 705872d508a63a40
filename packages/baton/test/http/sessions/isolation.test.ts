import { createServer } from '@waymark/baton'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { isFullLevel } from '../../level.ts'
import { MODERN_META } from '../../support/sample-server.ts'
import { LegacyClient } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { describeHttp } from '../servers.ts'

const CLIENTS = 64
const CALLS = isFullLevel ? 50 : 6

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** Sends the caller's canary in every kind of message, with pauses so that the callers interleave. */
function createCanaryServer(): ReturnType<typeof createServer> {
  return createServer({ name: 'canary', version: '1.0.0' }).tool({
    name: 'sing',
    inputSchema: z.object({ canary: z.string(), loud: z.boolean() }),
    async run({ canary, loud }, context) {
      if (loud) context.log('info', canary)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
      if (loud) context.progress(1, 2, canary)
      return { content: [{ type: 'text', text: canary }] }
    },
  })
}

/** The canaries in a piece of text, each once. */
function canariesIn(text: string): string[] {
  return [...new Set(text.match(/canary-\d+-/g) ?? [])]
}

describeHttp('64 clients with the same request ids', (serve) => {
  it('in sessions see no foreign byte [isolation-sessions-see]', async () => {
    await using served = await serve(createCanaryServer())
    let responses = 0
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const client = await LegacyClient.connect(served)
        const canary = `canary-${index}-`
        for (let id = 0; id < CALLS; id += 1) {
          const response = await client.post({
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: {
              name: 'sing',
              arguments: { canary, loud: id % 2 === 0 },
              _meta: { progressToken: id },
            },
          })
          const text = await response.text()
          expect(canariesIn(text)).toEqual([canary])
          expect(text).toContain(`"id":${id},`)
          responses += 1
        }
      }),
    )
    expect(responses).toBe(CLIENTS * CALLS)
  })

  it('without sessions see no foreign byte', async () => {
    await using served = await serve(createCanaryServer())
    let responses = 0
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index) => {
        const canary = `canary-${index}-`
        for (let id = 0; id < CALLS; id += 1) {
          const response = await sendModern(served, {
            id,
            method: 'tools/call',
            params: { name: 'sing', arguments: { canary, loud: id % 2 === 0 } },
            meta: { ...MODERN_META, [LOG_LEVEL]: 'debug', progressToken: id },
          })
          const text = await response.text()
          expect(canariesIn(text)).toEqual([canary])
          expect(text).toContain(`"id":${id},`)
          responses += 1
        }
      }),
    )
    expect(responses).toBe(CLIENTS * CALLS)
  })
})
