import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PageFiles } from '../../src/surfaces/page/page-files.ts'
import { createPageSessions } from '../../src/surfaces/page/page-sessions.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

const HOUR = 60 * 60 * 1000
const JSON_TYPE = { 'content-type': 'application/json' }

type Fields = Record<string, unknown>

async function setupPage() {
  const project = await setup()
  const state = mkdtempSync(join(tmpdir(), 'waymark-page-'))
  const clock = { now: Date.now() }
  const pages = createPageSessions(state, () => clock.now)
  const site = createTestSite(project.directory, { pages })
  const send = async (path: string, init: RequestInit & { token?: string } = {}) => {
    const { token, ...rest } = init
    const authorization = token === undefined ? '' : `Bearer ${token}`
    const headers = { ...JSON_TYPE, authorization, ...(init.headers as object) }
    const response = await site.ask(path, { method: 'POST', ...rest, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as Fields) : {},
    }
  }
  const begin = (code: string, headers: object = {}) =>
    send('/ui/session', {
      body: JSON.stringify({ code }),
      headers: headers as Record<string, string>,
    })
  const signIn = async (isReadOnly = false) => {
    const { body } = await begin(pages.createCode({ isReadOnly }))
    return String(body['token'])
  }
  return {
    project,
    state,
    clock,
    pages,
    site,
    send,
    begin,
    signIn,
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

describe('a one-time code', () => {
  it('becomes a session of the person, whose name the history has [page-code-session]', async () => {
    await using page = await setupPage()
    const { status, body, headers } = await page.begin(page.pages.createCode({ isReadOnly: false }))
    expect(status).toBe(200)
    expect(body).toMatchObject({ me: { is_person: true, id: 'owner', role: 'maintainer' } })
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('cache-control')).toBe('no-store')
    const token = String(body['token'])
    const created = await page.send('/api/task.create', { token, body: '{"title":"Login page"}' })
    expect(created.status).toBe(200)
    const events = await page.send('/api/event.list', { token, body: '{"limit":1000}' })
    expect(events.text).toContain('"title":"Login page"')
    const [stored] = readdirSync(join(page.state, 'ui'))
    expect(stored).not.toContain(token)
  })

  it('works once, for a minute or from the page for a day, and never as a guess [page-code-once]', async () => {
    await using page = await setupPage()
    const used = page.pages.createCode({ isReadOnly: false })
    expect((await page.begin(used)).status).toBe(200)
    const stale = page.pages.createCode({ isReadOnly: false })
    page.clock.now += 61_000
    const guesses = ['', 'x', '../../x', '0'.repeat(22), `${stale}x`, 'A'.repeat(101)]
    for (const code of [used, stale, stale, ...guesses]) {
      const { status, text } = await page.begin(code)
      expect([401, 400], code).toContain(status)
      expect(text).not.toContain('wmk_')
    }
    expect((await page.begin(used)).text).toContain('run `waymark ui` for a new one')
    const token = await page.signIn()
    const linked = async () =>
      String((await page.send('/ui/link', { token, body: '{}' })).body['code'])
    const [shared, late] = [await linked(), await linked()]
    expect((await page.begin(shared)).body).toMatchObject({ me: { read_only: true } })
    page.clock.now += 24 * HOUR
    for (const code of [shared, late]) expect((await page.begin(code)).status).toBe(401)
  })

  it('of two requests at once only one gets a session [page-code-race]', async () => {
    await using page = await setupPage()
    const code = page.pages.createCode({ isReadOnly: false })
    const answers = await Promise.all(Array.from({ length: 8 }, () => page.begin(code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('is not given to an agent that has the secret of the server [page-code-person]', async () => {
    await using page = await setupPage()
    const { status, body } = await page.send('/ui/link', { token: page.site.secret, body: '{}' })
    expect(status).toBe(403)
    expect(body).toMatchObject({ error: { details: { reason: 'not_the_person' } } })
  })

  it('is refused to other origins, other ports and rebound names [page-code-origins]', async () => {
    await using page = await setupPage()
    for (const origin of [
      'http://evil.test',
      'http://localhost:8081',
      'null',
      'https://localhost',
    ]) {
      const code = page.pages.createCode({ isReadOnly: false })
      expect((await page.begin(code, { origin })).status, origin).toBe(403)
      expect((await page.begin(code, { host: 'rebound.evil.test' })).status, origin).toBe(403)
      // Refused before it was looked at, so it still works.
      expect((await page.begin(code, { origin: 'http://localhost' })).status, origin).toBe(200)
    }
    const code = page.pages.createCode({ isReadOnly: false })
    const asForm = { 'content-type': 'text/plain' }
    expect((await page.begin(code, asForm)).status).toBe(415)
  })
})

describe('a session of the page', () => {
  it('outlives a restart of the server, and ends after twelve hours without use [page-session-restart]', async () => {
    await using page = await setupPage()
    const token = await page.signIn()
    const after = createPageSessions(page.state, () => page.clock.now)
    page.clock.now += 11 * HOUR
    expect(after.find(token)).toBeDefined()
    page.clock.now += 11 * HOUR
    expect((await page.send('/api/project.me', { token, body: '{}' })).status).toBe(200)
    page.clock.now += 13 * HOUR
    const { status, text } = await page.send('/api/project.me', { token, body: '{}' })
    expect([status, text]).toEqual([401, expect.stringContaining('run `waymark ui`')])
  })

  it('ends with DELETE, here or everywhere [page-session-end]', async () => {
    await using page = await setupPage()
    const [one, other, third] = [await page.signIn(), await page.signIn(), await page.signIn()]
    const statusOf = async (token: string) =>
      (await page.send('/api/project.me', { token, body: '{}' })).status
    expect((await page.send('/ui/session', { method: 'DELETE', token: one })).status).toBe(204)
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200])
    const everywhere = '/ui/session?everywhere=true'
    expect((await page.send(everywhere, { method: 'DELETE', token: other })).status).toBe(204)
    expect([await statusOf(other), await statusOf(third)]).toEqual([401, 401])
  })

  it('that is read-only changes nothing and passes on nothing but reading [page-session-read-only]', async () => {
    await using page = await setupPage()
    const token = await page.signIn(true)
    const me = await page.send('/api/project.me', { token, body: '{}' })
    expect(me.body).toMatchObject({ read_only: true, role: 'viewer' })
    const write = await page.send('/api/task.create', { token, body: '{"title":"x"}' })
    expect(write.status).toBe(403)
    const bytes = await page.send('/cas?name=x', { token, body: 'x' })
    expect(bytes.status).toBe(403)
    const person = await page.signIn()
    const everywhere = { method: 'DELETE', token }
    expect((await page.send('/ui/session?everywhere=true', everywhere)).status).toBe(403)
    const mine = { token: person, body: '{}' }
    expect((await page.send('/api/project.me', mine)).body).toMatchObject({ read_only: false })
    const link = await page.send('/ui/link', { token, body: '{"read_only":true}' })
    page.clock.now += 23 * HOUR
    const { body } = await page.begin(String(link.body['code']))
    expect(body).toMatchObject({ me: { read_only: true } })
    const more = await page.send('/ui/link', {
      token: String(body['token']),
      body: '{"read_only":false}',
    })
    expect(more.status).toBe(400)
  })

  it('is for the page alone: not for MCP, not in a URL [page-session-scope]', async () => {
    await using page = await setupPage()
    const token = await page.signIn()
    expect((await page.send('/mcp', { token, body: '{}' })).status).toBe(403)
    const inUrl = await page.send(`/api/project.me?access_token=${token}`, { token, body: '{}' })
    expect(inUrl.status).toBe(400)
    for (const wrong of ['wmk_', `${token}x`, token.slice(0, -1), token.toUpperCase()])
      expect((await page.send('/api/project.me', { token: wrong, body: '{}' })).status).toBe(401)
  })
})

describe('the files of the page', () => {
  async function setupFiles() {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-ui-'))
    const file = (type: string, isImmutable: boolean) => ({
      type,
      sha256: 'abc',
      isImmutable,
      encodings: ['br'],
    })
    const files = {
      'index.html': file('text/html; charset=utf-8', false),
      'main.js': file('text/javascript; charset=utf-8', true),
    }
    for (const name of Object.keys(files)) {
      writeFileSync(join(folder, name), `plain ${name}`)
      writeFileSync(join(folder, `${name}.br`), `packed ${name}`)
    }
    writeFileSync(join(folder, 'secret.txt'), 'not in the manifest')
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files }))
    const pageFiles = new PageFiles(pathToFileURL(`${folder}/`))
    return async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const request = { path, header: (name: string) => headers[name] ?? null }
      const answer = await pageFiles.answer(request as Parameters<PageFiles['answer']>[0])
      let text = typeof answer.body === 'string' ? answer.body : ''
      if (typeof answer.body === 'object')
        for await (const chunk of answer.body) text += Buffer.from(chunk).toString()
      return { ...answer, text }
    }
  }

  it('have an address for each view, which no route of the page takes away [page-files-views]', async () => {
    await using page = await setupPage()
    for (const view of ['', 'board', 'code', 'code/src/a.ts', 'insight', 'search', 't/61']) {
      const { status, text } = await page.site
        .ask(`/ui/${view}`, { headers: { authorization: '' } })
        .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      // 503 says that the page is not built here.
      expect([200, 503], view).toContain(status)
      expect(text, view).toContain('<html')
    }
  })

  it('are those of the manifest, and the shell for each address [page-files-manifest]', async () => {
    const get = await setupFiles()
    expect((await get('/ui/main.js')).text).toBe('plain main.js')
    expect((await get('/ui/main.js', { 'accept-encoding': 'gzip, br' })).text).toBe(
      'packed main.js',
    )
    const others = [
      '/ui',
      '/ui/',
      '/ui/t/61',
      '/ui/secret.txt',
      '/ui/../secret.txt',
      '/ui/%2e%2e/x',
    ]
    for (const path of [...others, '/ui/manifest.json', '/ui/constructor', '/ui//etc/passwd'])
      expect((await get(path)).text, path).toBe('plain index.html')
    expect((await get('/ui/assets/old.js')).status).toBe(404)
    expect((await get('/ui/', { 'if-none-match': '"abc"' })).status).toBe(304)
  })

  it('run nothing of elsewhere and are never framed [page-files-headers]', async () => {
    const get = await setupFiles()
    const { headers = {} } = await get('/ui/')
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    expect((await get('/ui/main.js')).headers?.['cache-control']).toContain('immutable')
  })

  it('that were not built are asked for in words, without a credential [page-files-absent]', async () => {
    const empty = new PageFiles(pathToFileURL(`${mkdtempSync(join(tmpdir(), 'waymark-ui-'))}/`))
    const request = { path: '/ui/', header: () => null }
    const { status, body } = await empty.answer(
      request as unknown as Parameters<PageFiles['answer']>[0],
    )
    expect([status, body]).toEqual([503, expect.stringContaining('npm run build')])
  })
})

it('long answers are compressed for clients that accept it [page-gzip]', async () => {
  await using page = await setupPage()
  const token = await page.signIn()
  const ask = (encoding: string) =>
    page.site.ask('/api/project.schema', {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': encoding },
    })
  const [packed, plain] = [await ask('gzip, br'), await ask('gzip;q=0, br')]
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(plain.headers.get('content-encoding')).toBeNull()
  const unpacked = packed.body?.pipeThrough(new DecompressionStream('gzip'))
  const text = await new Response(unpacked ?? null).text()
  expect(JSON.parse(text)).toEqual(await plain.json())
  expect(Number(packed.headers.get('content-length'))).toBeLessThan(text.length / 2)
})
