import { createServer } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { echo, SERVER_INFO } from './answers.ts'

/** baton without a schema library, to see what it costs to start baton alone. */
export function createPlainServer(): Server {
  return createServer(SERVER_INFO).tool({
    name: 'echo',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: ({ text }) => echo(String(text)),
  })
}
