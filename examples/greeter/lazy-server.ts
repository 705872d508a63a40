import { createServer } from '@waymark/baton'
import { serveStdio } from '@waymark/baton/node'

const server = createServer({ name: 'greeter', version: '1.0.0' }).lazy(['tools'], async (to) => {
  const { defineTools } = await import('./tools.ts')
  defineTools(to)
})

await serveStdio(server).closed
