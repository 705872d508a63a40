import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { LegacyClient } from '../../../baton/test/http/http-client.ts'
import { DIALECT_NAMES, loadDialects } from '../../src/dialects/load-dialects.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

interface Answer {
  readonly result?: { readonly cacheScope?: string; readonly ttlMs?: number }
}

it('whatever is listed, described or read, no cache that several share may keep it [http-answers-whatever-listed]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  let looked = 0
  for (const dialect of DIALECT_NAMES) {
    const [{ resources, prompts, ownPrompts = [] }] = await loadDialects(dialect)
    const requests: [string, Record<string, unknown>][] = [
      ['server/discover', {}],
      ['tools/list', {}],
    ]
    if (resources !== undefined) {
      requests.push(['resources/list', {}], ['resources/templates/list', {}])
      const plain = resources.listed.filter(({ template }) => !template.includes('{'))
      for (const { template } of plain) requests.push(['resources/read', { uri: template }])
    }
    if (prompts === true || ownPrompts.length > 0) requests.push(['prompts/list', {}])
    for (const [method, params] of requests) {
      const response = await site.askMcp(`/mcp/${dialect}`, { method, params })
      const { result } = (await response.json()) as Answer
      expect(result, `${dialect} ${method}`).toMatchObject({ cacheScope: 'private', ttlMs: 0 })
      expect(response.headers.get('cache-control')).toBe('no-store')
      looked += 1
    }
  }
  expect(looked).toBeGreaterThan(25)
})

/** Bytes that are one thing to whoever looks at their beginning, and another to a browser that guesses. */
const POLYGLOTS: Readonly<Record<string, string>> = {
  'page.html': '<!doctype html><script>alert(1)</script>',
  'image.svg': '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  'style.xml': '<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><x/>',
  'picture.gif': 'GIF89a/*<script>alert(1)</script>*/=1;alert(1)',
  'picture.png': '\x89PNG\r\n\x1a\n<html><script>alert(1)</script>',
  'photo.jpg': '\xff\xd8\xff\xe0<script>alert(1)</script>',
  'sound.mp3': 'ID3<script>alert(1)</script>',
  'paper.pdf': '%PDF-1.7\n<script>app.alert(1)</script>',
  'script.js': 'alert(document.domain)',
  'module.wasm': '\0asm\x01\0\0\0',
  'mail.mht': 'MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>',
  'empty.html': '',
  'not-a-picture.png': '<script>alert(1)</script>',
}

it('no browser runs an artifact, whatever it is, is called or was sent as [http-answers-browser-runs]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  for (const [name, text] of Object.entries(POLYGLOTS)) {
    const body = Buffer.from(text, 'latin1')
    const made = await site.ask(`/cas?name=${encodeURIComponent(name)}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/html' },
    })
    expect(made.status, name).toBe(201)
    await made.text()
    const address = made.headers.get('location') ?? ''
    const etag = made.headers.get('etag') ?? ''
    const isPassive = /^(picture|photo|sound)/.test(name)
    for (const [kind, init] of Object.entries({
      whole: {},
      head: { method: 'HEAD' },
      part: { headers: { range: 'bytes=0-3' } },
      known: { headers: { 'if-none-match': etag } },
      asked: { headers: { accept: 'text/html' } },
    })) {
      const response = await site.ask(address, init)
      const { headers } = response
      // An empty content has no first bytes to ask for.
      const isNothing = response.status === 416
      const what = `${name} ${kind}`
      expect(headers.get('x-content-type-options'), what).toBe('nosniff')
      expect(headers.get('content-security-policy'), what).toMatch(/^default-src 'none'/)
      if (!isNothing) {
        expect(headers.get('content-security-policy'), what).toContain('sandbox')
        expect(headers.get('content-disposition'), what).toMatch(
          /^attachment; filename="[0-9a-f]+"$/,
        )
        if (!isPassive) expect(headers.get('content-type'), what).toBe(OCTETS)
        expect(headers.get('content-type'), what).not.toMatch(/html|svg|xml|script|pdf|wasm/)
      }
      await response.body?.cancel()
    }
    expect(made.headers.get('x-content-type-options'), name).toBe('nosniff')
  }
})

const OCTETS = 'application/octet-stream'

it('a body that a foreign page could send without asking is refused, and asking is in vain [http-answers-body-foreign]', async () => {
  await using project = await setup()
  await using site = createTestSite(project.directory)
  const headers = { authorization: `Bearer ${site.secret}` }
  const url = 'http://localhost/mcp'
  const client = await LegacyClient.connect({ url, send: site.site.fetch, headers })
  const session = client.headers()
  const message = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    for (const [path, more] of [
      ['/api/entity.create', {}],
      ['/api/entity.list', {}],
      ['/mcp', session],
      ['/mcp', { ...session, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' }],
      [`/mcp/message?sessionId=${client.sessionId}`, {}],
    ] as const) {
      const response = await site.ask(path, {
        method: 'POST',
        body: message,
        headers: { ...more, 'content-type': type },
      })
      expect(response.status, `${type} ${path}`).toBe(415)
    }
  }
  for (const path of [
    '/mcp',
    '/mcp/sse',
    '/mcp/message',
    '/api/entity.create',
    '/cas',
    '/metrics',
  ]) {
    for (const origin of ['https://evil.test', 'null', 'http://localhost:1']) {
      const asked = { origin, 'access-control-request-method': 'POST' }
      const response = await site.ask(path, { method: 'OPTIONS', headers: asked })
      expect(response.status, path).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  }
})
