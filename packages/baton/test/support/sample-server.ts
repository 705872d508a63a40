import { createServer, ProtocolError } from '@waymark/baton'
import type { Server, ServerOptions } from '@waymark/baton'
import { z } from 'zod'

/** A server with one tool for each kind of outcome. */
export function createSampleServer(options: Partial<ServerOptions> = {}): Server {
  return createServer({ name: 'sample', version: '1.2.3', ...options })
    .tool({
      name: 'echo',
      description: 'Says it again',
      inputSchema: z.object({ text: z.string() }),
      run: ({ text }) => ({ content: [{ type: 'text', text }] }),
    })
    .tool({
      name: 'add',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ structuredContent: { sum: a + b } }),
    })
    .tool({
      name: 'fail',
      run() {
        throw new Error('the disk is on fire')
      },
    })
    .tool({
      name: 'refuse',
      run() {
        throw new ProtocolError(-32001, 'entity not found', { id: 'x' })
      },
    })
    .tool({
      name: 'wait',
      description: 'Never ends by itself',
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        }),
    })
}

/** The `_meta` that every modern request carries. */
export const MODERN_META: Readonly<Record<string, unknown>> = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '0' },
}
