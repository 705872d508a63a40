import { describe } from 'vitest'
import { createServer, type Server } from '@waymark/baton'
import { z } from 'zod'
import { createHttpHandler, type HttpOptions } from '@waymark/baton/http'
import { listenHttp } from '@waymark/baton/node'
import type { Send } from './http-client.ts'

/** A server under test and how to reach it. */
export interface Served extends AsyncDisposable {
  readonly url: string
  readonly send: Send
}

export type Serve = (server: Server, options?: Partial<HttpOptions>) => Promise<Served>

const serveFetch: Serve = (server, options) => {
  const handler = createHttpHandler(server, { authenticator: 'none', path: '/mcp', ...options })
  return Promise.resolve({
    url: 'http://localhost:4120/mcp',
    send: handler.fetch,
    [Symbol.asyncDispose]: () => handler.close(0),
  })
}

export const serveNode: Serve = async (server, options) => {
  const listener = await listenHttp(server, { authenticator: 'none', graceMs: 0, ...options })
  return {
    url: listener.url,
    send: (request) => fetch(request),
    [Symbol.asyncDispose]: () => listener.close(),
  }
}

/** Runs the same claims on the web-standard handler and on the native listener. */
export function describeHttp(title: string, claims: (serve: Serve) => void): void {
  describe.each([
    ['fetch', serveFetch],
    ['node', serveNode],
  ] as const)(`${title} (%s)`, (_name, serve) => claims(serve))
}

/** A call that waits until the test opens its gate. */
export interface Gate {
  readonly reached: Promise<AbortSignal>
  open(): void
}

/** A server whose tool calls a test can observe and hold. */
export function createTestServer(): { server: Server; gate: (name: string) => Gate } {
  const gates = new Map<string, ReturnType<typeof createGate>>()
  const gate = (name: string): ReturnType<typeof createGate> => {
    const known = gates.get(name) ?? createGate()
    gates.set(name, known)
    return known
  }
  const server = createServer({ name: 'http-test', version: '1.0.0' })
    .tool({
      name: 'echo',
      inputSchema: z.object({ text: z.string() }),
      run: ({ text }) => ({ content: [{ type: 'text', text }] }),
    })
    .tool({
      name: 'count',
      description: 'Reports progress up to a number',
      inputSchema: z.object({ to: z.number() }),
      run({ to }, context) {
        for (let value = 1; value <= to; value += 1) context.log('info', value)
        return { content: [{ type: 'text', text: `counted to ${to}` }] }
      },
    })
    .tool({
      name: 'hold',
      description: 'Says that it began, then waits for the test, or until it is told to stop',
      inputSchema: z.object({
        gate: z.string(),
        quiet: z.boolean().optional(),
        heeds: z.boolean().optional(),
      }),
      async run(input, context) {
        if (input.quiet !== true) context.log('info', 'began')
        const held = gate(input.gate)
        if (input.heeds === true) context.signal.addEventListener('abort', () => held.open())
        held.arrive(context.signal)
        await held.opened
        if (input.quiet !== true) context.log('info', 'goes on')
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    .resource({
      name: 'watched',
      uri: 'test://watched',
      read: () => ({ contents: [{ uri: 'test://watched', text: 'x' }] }),
    })
  return { server, gate }
}

function createGate(): Gate & { arrive(signal: AbortSignal): void; opened: Promise<void> } {
  const { promise: reached, resolve: arrive } = withResolvers<AbortSignal>()
  const { promise: opened, resolve: open } = withResolvers<void>()
  return { reached, arrive, opened, open: () => open() }
}

export function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
