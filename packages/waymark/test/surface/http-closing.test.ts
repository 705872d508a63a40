import { expect, it } from 'vitest'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

it('a site that closes answers the routes that cannot finish in time', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const waiting = site.ask('/api/event.wait?seconds=300')
  await site.site.close(10)
  const response = await waiting
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({
    error: { code: 'busy', message: 'the server is shutting down', retryable: true },
  })
})
