import { createServer, type Server } from '@waymark/baton'
import { z } from 'zod'

/** A server with one of every feature, for the official clients. */
export function createScenarioServer(): Server {
  const server = createServer({
    name: 'scenario',
    version: '1.0.0',
    instructions: 'Try everything',
  })
    .tool({
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      run: ({ a, b }) => ({ structuredContent: { sum: a + b } }),
    })
    .tool({
      name: 'count',
      async run(_input, { progress, log }) {
        for (const value of [1, 2, 3]) {
          progress(value, 3)
          // The official clients drop progress that they read together with the answer.
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        log('info', 'counted')
        return { content: [{ type: 'text', text: 'done' }] }
      },
    })
    .tool({
      name: 'greet',
      async run(_input, { elicit }) {
        const { action, content } = await elicit({
          message: 'Who are you?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        })
        const name = action === 'accept' ? String(content?.['name']) : 'stranger'
        return { content: [{ type: 'text', text: `Hello ${name}` }] }
      },
    })
    .tool({
      name: 'touch',
      run() {
        server.notify.resourceUpdated('note://1')
        return { content: [] }
      },
    })
    .tool({
      name: 'sleep',
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    })
    .resource({
      uri: 'note://1',
      name: 'One',
      mimeType: 'text/plain',
      read: () => ({ text: 'one' }),
    })
    .resourceTemplate({
      uriTemplate: 'note://{id}/copy',
      name: 'Copy',
      read: (_uri, { id }) => ({ text: `copy of ${id}` }),
    })
    .prompt({
      name: 'ask',
      arguments: [{ name: 'topic', required: true }],
      render: ({ topic }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `About ${topic}?` } }],
      }),
    })
    .completion(({ argument }) => ({ values: [`${argument.value}!`] }))
  return server
}
