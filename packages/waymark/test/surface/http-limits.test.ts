import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { setup } from '../setup.ts'
import { createTestSite, type TestSite } from './test-site.ts'

const READ = '/api/entity.list?limit=1'
const SLOW = { WAYMARK_RATE_LIMIT: '1' }
/** What a caller may send at once with that limit. */
const BURST = 10

function askOften(site: TestSite, count: number, headers: Record<string, string>) {
  return Promise.all(Array.from({ length: count }, () => site.ask(READ, { headers })))
}

async function statusesOf(site: TestSite, count: number, headers: Record<string, string>) {
  return (await askOften(site, count, headers)).map(({ status }) => status)
}

// Nothing is earned back while a test runs, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const isServed = (status: number): boolean => status === 200

it('an agent that floods is told to wait, and the other agents with its secret are served [http-limits-agent-floods]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory, { env: SLOW })
  const flood = askOften(site, 10 * BURST, { 'waymark-agent': 'flood' })
  for (let times = 0; times < BURST; times += 1) {
    const response = await site.ask(READ, { headers: { 'waymark-agent': 'quiet' } })
    expect(response.status).toBe(200)
  }
  const answers = await flood
  expect(answers.filter(({ status }) => isServed(status))).toHaveLength(BURST)
  const refused = answers.find(({ status }) => !isServed(status))
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await refused?.json()).toMatchObject({ error: { code: 'busy', retryable: true } })
})

it('an agent that calls itself something else each time is limited with all of its owner', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory, { env: SLOW })
  const all = await Promise.all(
    Array.from({ length: 15 * BURST }, (_, at) =>
      statusesOf(site, 1, { 'waymark-agent': `agent ${at}` }),
    ),
  )
  expect(all.flat().filter(isServed)).toHaveLength(10 * BURST)
})

it('nobody is limited by what somebody else sends', async () => {
  await using project = await setup()
  await using issuer = await createIssuer(SCOPES)
  await using site = createTestSite(project.directory, { issuer, env: SLOW })
  const as = async (sub: string) => ({
    authorization: `Bearer ${await site.tokenFor(['entities:read'], { sub })}`,
  })
  const [ann, bob] = [await as('ann'), await as('bob')]
  const flood = await statusesOf(site, 10 * BURST, bob)
  expect(flood).toContain(429)
  expect((await statusesOf(site, BURST, ann)).every(isServed)).toBe(true)
})

it('sessions are limited one by one, on every way in', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory, { env: SLOW })
  const ask = (path: string, session: string) =>
    site.ask(path, { headers: { 'mcp-session-id': session } })
  for (const path of [READ, '/mcp/tasky', '/metrics', `/cas/${'0'.repeat(64)}`]) {
    const flood = await Promise.all(Array.from({ length: 2 * BURST }, () => ask(path, path)))
    expect(
      flood.map(({ status }) => status),
      path,
    ).toContain(429)
    expect((await ask(path, `${path} of another`)).status, path).not.toBe(429)
  }
})
