// baton on stdio without a schema library: what it costs to start baton alone.
import { createServer } from '@waymark/baton'
import { serveStdio } from '@waymark/baton/node'
import { echo, SERVER_INFO } from './answers.ts'

const server = createServer(SERVER_INFO).tool({
  name: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => echo(String(text)),
})
await serveStdio(server).closed
