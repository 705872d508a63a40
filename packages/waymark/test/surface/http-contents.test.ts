import { createHash } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ContextOptions } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { addArtifact, listArtifacts } from '../../src/artifact/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { handleContents } from '../../src/surfaces/http/contents-route.ts'
import { contentFiles } from '../operations/artifacts/files.ts'
import { type Setup, setup } from '../setup.ts'

const HASH = createHash('sha256').update('hello').digest('hex')

function ask(
  project: Setup,
  path: string,
  init: RequestInit = {},
  options: Partial<ContextOptions> = {},
): Promise<Response> {
  const context = project.as('tester', { maxArtifactBytes: 1000, ...options })
  return handleContents(new Request(`http://localhost${path}`, init), context)
}

const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers,
})

describe('over HTTP', () => {
  it('a body becomes an artifact, and its bytes come back so that no browser runs them', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    const query = 'name=report.html&tag=a&tag=b&link=1&variation_set=s'
    const page = '<script>alert(1)</script>'
    const accept = { accept: 'application/json' }
    const made = await ask(project, `/cas?${query}`, post(page, accept))
    expect([made.status, await made.json()]).toMatchObject([
      201,
      {
        name: 'report.html',
        mime: 'text/html',
        tags: ['a', 'b'],
        links: [{ type: 'references' }],
        variation_index: 0,
      },
    ])
    const read = await ask(project, made.headers.get('location') ?? '')
    expect(await read.text()).toBe(page)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment/),
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    ['/cas', post('x'.repeat(1001)), 413],
    ['/cas', post('hi', { 'content-length': '9' }), 400],
    [`/cas?sha256=${HASH}`, post('other'), 422],
    ['/cas?sha256=../../x', post('x'), 400],
    ['/cas?colour=red', post('x'), 400],
    ['/cas?parent=abcd', post('x'), 404],
    ['/cas', { method: 'GET' }, 405],
  ])('%s %o is refused with %i and leaves nothing behind', async (path, init, status) => {
    await using project = await setup()
    const response = await ask(project, path, init)
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { error: { code: expect.any(String), message: expect.any(String), retryable: false } },
    ])
    expect(contentFiles(project)).toEqual([])
    expect(await project.context.store.events.latest()).toBe(0)
  })

  it.each([
    [HASH, 404],
    ['abcd', 400],
    ['%2e%2e%2f%2e%2e%2fwaymark.db', 400],
  ])('GET /cas/%s is %i', async (name, status) => {
    await using project = await setup()
    expect((await ask(project, `/cas/${name}`)).status).toBe(status)
  })

  it('a damaged content is an error, not bytes', async () => {
    await using project = await setup()
    await execute(project.context, addArtifact, { text: 'hello' })
    const [file = ''] = contentFiles(project)
    chmodSync(file, 0o600)
    writeFileSync(file, 'hellO')
    const response = await ask(project, `/cas/${HASH}`)
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { code: 'corrupt' } },
    ])
  })

  it('whoever may not read or write artifacts is refused', async () => {
    await using project = await setup()
    await execute(project.context, addArtifact, { text: 'hello' })
    const reader = { access: { readOnly: false, scopes: new Set(['artifacts:read']) } }
    const writer = { access: { readOnly: false, scopes: new Set(['artifacts:write']) } }
    const readOnly = { access: { readOnly: true } }
    const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status
    expect(await statusOf(project, `/cas/${HASH}`, {}, reader)).toBe(200)
    expect(await statusOf(project, `/cas/${HASH}`, {}, writer)).toBe(403)
    expect(await statusOf(project, '/cas', post('x'), reader)).toBe(403)
    expect(await statusOf(project, '/cas', post('x'), readOnly)).toBe(403)
    expect(await statusOf(project, '/cas', post('x'), writer)).toBe(201)
    expect(await execute(project.context, listArtifacts, {})).toMatchObject({ total: 2 })
  })
})
