import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { setJoinedServer } from '../../src/surfaces/join/joined-servers.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

it('the stream of a joined server brings a caller no rows that its scopes do not cover [joined-stream-scopes]', async () => {
  await using project = await setup()
  const asked: string[] = []
  await using server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('rows') ?? '')
    response.end(': end\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const env = { HOME: mkdtempSync(join(tmpdir(), 'waymark-home-')) }
  const state = project.context.project?.state ?? ''
  const team = { url: `http://127.0.0.1:${port}`, project: 'api', token: 'of-the-clone' }
  setJoinedServer(state, env, team)
  await using issuer = await createIssuer(SCOPES)
  await using site = createTestSite(project.directory, { issuer, env })
  const follow = async (...scopes: readonly string[]) => {
    const headers = { authorization: `Bearer ${await site.tokenFor(scopes)}` }
    const path = '/api/event.stream?since=0&rows=task,job,message'
    await (await site.ask(path, { headers })).text()
    return asked.at(-1)
  }
  expect(await follow('events:read')).toBe('')
  expect(await follow('events:read', 'messages:read')).toBe('message')
  expect(await follow(...SCOPES)).toBe('task,job,message')
})
