import { createServer } from '@waymark/baton'
import { serveStdio } from '@waymark/baton/node'
import * as z from '@waymark/baton/zod'

const server = createServer({ name: 'greeter', version: '1.0.0' })
  .tool({
    name: 'greet',
    description: 'Greets someone by name',
    inputSchema: z.object({ name: z.string().min(1) }),
    outputSchema: z.object({ greeting: z.string() }),
    run: ({ name }) => ({ structuredContent: { greeting: `Hello, ${name}!` } }),
  })
  .resource({ uri: 'greeter://languages', name: 'Languages', read: () => ({ text: 'English' }) })
  .prompt({
    name: 'introduce',
    arguments: [{ name: 'who', required: true }],
    render: ({ who }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Introduce ${who}.` } }],
    }),
  })

await serveStdio(server).closed
