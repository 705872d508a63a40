// Offers everything that the official conformance suite asks a server for, and prints where.
import { createServer } from '@waymark/baton'
import { listenHttp } from '@waymark/baton/node'
import { addCatalogue } from './catalogue.ts'
import { addContentTools } from './content-tools.ts'
import { addInputTools } from './input-tools.ts'
import { say } from './samples.ts'
import { addTaskTools } from './task-tools.ts'

const server = createServer({
  name: 'baton-everything',
  version: '1.0.0',
  capabilities: { logging: {} },
})
addContentTools(server)
addInputTools(server)
addTaskTools(server)
addCatalogue(server)
server
  .tool({
    name: 'test_trigger_tool_change',
    description: 'Tells listeners that the tools changed',
    run() {
      server.notify.toolsChanged()
      return say('told')
    },
  })
  .tool({
    name: 'test_trigger_prompt_change',
    description: 'Tells listeners that the prompts changed',
    run() {
      server.notify.promptsChanged()
      return say('told')
    },
  })

const [port = '0'] = process.argv.slice(2)
const listener = await listenHttp(server, { authenticator: 'none', port: Number(port) })
console.log(listener.url)
