import { connectInMemory, ProtocolError } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'

test('middlewares wrap each request, the first one outermost', async () => {
  const steps: string[] = []
  const server = createSampleServer()
  for (const name of ['outer', 'inner']) {
    server.use(async ({ method }, next) => {
      steps.push(`${name} before ${method}`)
      const result = await next()
      steps.push(`${name} after`)
      return result
    })
  }
  await connectInMemory(server).request('ping')
  expect(steps).toEqual(['outer before ping', 'inner before ping', 'inner after', 'outer after'])
})

test('a middleware can change the result, or refuse the call', async () => {
  const server = createSampleServer().use(async ({ method, params, context }, next) => {
    if (method === 'tools/call' && params['name'] === 'fail') {
      throw new ProtocolError(-32003, `not for ${context.client?.name ?? 'strangers'}`)
    }
    const result = await next()
    return method === 'tools/list' ? { ...result, tools: [] } : result
  })
  const client = connectInMemory(server)
  expect((await client.request('tools/list'))['result']).toEqual({ tools: [] })
  const refused = await client.request('tools/call', { name: 'fail' })
  expect(refused['error']).toEqual({ code: -32003, message: 'not for strangers' })
  const served = await client.request('tools/call', { name: 'echo', arguments: { text: 'x' } })
  expect(served).toHaveProperty('result.content')
})
