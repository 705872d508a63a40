import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { setup } from '../setup.ts'
import { type Frame, readFrames } from './event-frames.ts'
import { createTestSite, type TestSite } from './test-site.ts'

/** A stream of the first project that asks for news of all. */
async function follow(site: TestSite, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  return readFrames(await site.ask('/api/event.stream?since=0&rows=project', { headers }))
}

async function write(site: TestSite, token: string, project: string, title: string) {
  const response = await site.ask(`/projects/${project}/api/entity.create`, {
    method: 'POST',
    body: JSON.stringify({ type: 'note', title }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  expect(response.status).toBe(200)
}

function namesOf(frames: readonly Frame[]): readonly unknown[] {
  return frames.filter(({ event }) => event === 'project').map(({ data }) => data['name'])
}

it('a stream tells of commits in those projects alone that its token is for [stream-projects-allowed]', async () => {
  await using own = await setup()
  await using other = await setup()
  const names = { own: basename(own.directory), other: basename(other.directory) }
  await using issuer = await createIssuer(SCOPES)
  await using site = createTestSite(own.directory, { issuer, others: [other.directory] })
  const all = await site.tokenFor(SCOPES)
  const limited = [
    await site.tokenFor(SCOPES, { project_id: names.own }),
    await site.tokenFor(SCOPES.filter((scope) => !scope.startsWith('projects:'))),
  ]
  await using open = await follow(site, all)
  const streams = await Promise.all(limited.map((token) => follow(site, token)))
  await write(site, all, names.other, 'elsewhere')
  const told = await open.until(({ data }) => data['name'] === names.other)
  expect(told.at(-1)).toMatchObject({ event: 'project', data: { name: names.other } })
  await write(site, all, names.own, 'the end')
  for (const stream of streams) {
    const frames = await stream.until(({ data }) => JSON.stringify(data).includes('the end'))
    expect(frames.at(-1)?.data).toHaveProperty('events')
    expect(namesOf(frames)).not.toContain(names.other)
    await stream[Symbol.asyncDispose]()
  }
})

it('a project that cannot be opened ends no stream of another [stream-projects-damaged]', async () => {
  await using own = await setup()
  await using last = await setup()
  const broken = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  await using issuer = await createIssuer(SCOPES)
  const others = [broken, last.directory]
  await using site = createTestSite(own.directory, { issuer, others })
  const token = await site.tokenFor(SCOPES)
  await using stream = await follow(site, token)
  await write(site, token, basename(last.directory), 'elsewhere')
  await write(site, token, basename(own.directory), 'here')
  const isLast = ({ data }: Frame) => data['name'] === basename(last.directory)
  expect((await stream.until(isLast)).at(-1)).toMatchObject({ event: 'project' })
  rmSync(broken, { recursive: true })
})

it('a project that cannot be opened hides no other in the list of them [projects-list-damaged]', async () => {
  await using own = await setup()
  const broken = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  await using site = createTestSite(own.directory, { others: [broken] })
  const response = await site.ask('/api/project.list')
  expect(await response.json()).toMatchObject({
    projects: [
      { name: basename(own.directory), ready: 0 },
      { name: basename(broken), problem: expect.stringContaining('waymark init') },
    ],
  })
  rmSync(broken, { recursive: true })
})
