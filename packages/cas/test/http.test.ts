import { chmod, writeFile } from 'node:fs/promises'
import { createContentHandler } from '@waymark/cas/http'
import { describe, expect, it } from 'vitest'
import { bytesOf, pathOf, setup, sha256 } from './setup.ts'

const HASH = sha256('hello')

async function served(limit?: number) {
  const { store, folder, files } = await setup(limit === undefined ? {} : { limit })
  const handle = createContentHandler(store)
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    handle(new Request(`http://localhost${path}`, init))
  return { store, folder, files, send }
}

const post = (body: string | Uint8Array, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers,
})

describe('POST /cas', () => {
  it('answers with the hash, and with the facts if asked for JSON', async () => {
    const { send } = await served()
    const first = await send('/cas', post('hello'))
    expect([first.status, await first.text()]).toEqual([201, HASH])
    expect(first.headers.get('location')).toBe(`/cas/${HASH}`)
    const second = await send('/cas', post('hello', { accept: 'application/json' }))
    expect([second.status, await second.json()]).toEqual([
      200,
      { hash: HASH, size: 5, mime: 'text/plain', uri: `cas://${HASH}` },
    ])
  })

  it.each([
    ['too large', '/cas', post('hello, world'), 413, 'too_large'],
    ['announced too large', '/cas', post('hi', { 'content-length': '99' }), 413, 'too_large'],
    ['cut off', '/cas', post('hi', { 'content-length': '3' }), 400, 'size_mismatch'],
    ['something else', `/cas?sha256=${HASH}`, post('hellO'), 422, 'hash_mismatch'],
    ['named by a path', '/cas?sha256=..%2F..%2Fx', post('hello'), 400, 'invalid_hash'],
    ['compressed', '/cas', post('hello', { 'content-encoding': 'gzip' }), 415, 'unsupported'],
    ['sent with PUT', '/cas', { ...post('hello'), method: 'PUT' }, 405, 'wrong_method'],
  ])('refuses what is %s', async (_, path, init, status, code) => {
    const { send, files } = await served(10)
    const response = await send(path, init)
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await files()).toEqual([])
  })
})

describe('GET /cas/{hash}', () => {
  it('answers with bytes that no browser runs [http-answers-bytes]', async () => {
    const { store, send } = await served()
    const page = '<!doctype html><script>alert(1)</script>'
    const { hash } = await store.put(bytesOf(page))
    const response = await send(`/cas/${hash}`)
    expect(await response.text()).toBe(page)
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-disposition': `attachment; filename="${hash.slice(0, 16)}"`,
      'content-length': String(page.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-type': 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
      etag: `"${hash}"`,
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['MThd\0\0\0\x06', 'audio/midi'],
    ['<svg onload="alert(1)">', 'application/octet-stream'],
    ['plain', 'application/octet-stream'],
    ['%PDF-1.7', 'application/octet-stream'],
  ])('%j is sent as %s', async (text, type) => {
    const { store, send } = await served()
    const { hash } = await store.put(Buffer.from(text, 'latin1'))
    const response = await send(`/cas/${hash}`, { method: 'HEAD' })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('content-length')).toBe(String(text.length))
  })

  it('sends nothing to whoever has it', async () => {
    const { store, send } = await served()
    await store.put(bytesOf('hello'))
    const headers = { 'if-none-match': `"other", W/"${HASH}"` }
    expect((await send(`/cas/${HASH}`, { headers })).status).toBe(304)
  })

  it.each([
    ['bytes=1-3', 206, 'ell', 'bytes 1-3/5'],
    ['bytes=3-', 206, 'lo', 'bytes 3-4/5'],
    ['bytes=-2', 206, 'lo', 'bytes 3-4/5'],
    ['bytes=0-99', 206, 'hello', 'bytes 0-4/5'],
    ['bytes=5-', 416, '', 'bytes */5'],
    ['bytes=-0', 416, '', 'bytes */5'],
    ['bytes=3-1', 200, 'hello', null],
    ['bytes=0-1,3-4', 200, 'hello', null],
    ['lines=1-2', 200, 'hello', null],
  ])('Range: %s is %i %s', async (range, status, body, contentRange) => {
    const { store, send } = await served()
    await store.put(bytesOf('hello'))
    const response = await send(`/cas/${HASH}`, { headers: { range } })
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect([response.status, await response.text()]).toEqual([status, body])
  })

  it('never sends what is damaged', async () => {
    const { store, folder, send } = await served()
    await store.put(bytesOf('hello'))
    await chmod(pathOf(folder, HASH), 0o600)
    await writeFile(pathOf(folder, HASH), 'hellO')
    const response = await send(`/cas/${HASH}`)
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { code: 'corrupt' } },
    ])
  })

  it.each([
    [HASH, 404],
    ['%2e%2e%2f%2e%2e%2fetc%2fpasswd', 400],
    [`${HASH}/..`, 400],
    [HASH.toUpperCase(), 400],
    ['', 400],
  ])('%s is %i', async (path, status) => {
    const { send } = await served()
    expect((await send(`/cas/${path}`)).status).toBe(status)
  })
})
