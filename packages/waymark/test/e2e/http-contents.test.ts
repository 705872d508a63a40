import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { expect, it, vi } from 'vitest'
import { contentFiles } from '../operations/artifacts/files.ts'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { type HttpServer, startHttp } from './http-server.ts'

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * n) % 256))
const HASH = createHash('sha256').update(BYTES).digest('hex')

const incoming = (directory: string) =>
  contentFiles({ directory }).filter((path) => path.endsWith('.part'))

/** An upload that has sent half of what it announced, and the server has written that down. */
async function halfUpload({ ready, secret }: HttpServer, directory: string) {
  const upload = request({
    port: ready.port,
    path: '/cas',
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-length': BYTES.length * 2 },
  })
  upload.on('error', () => {})
  upload.write(BYTES)
  await vi.waitFor(() => expect(incoming(directory)).toHaveLength(1), { timeout: 50_000 })
  return upload
}

it('bytes go in and come out the same, for whoever knows the secret', async () => {
  await using repository = await createProject()
  await using server = await startHttp(repository.directory)
  const made = await server.ask('/cas?name=x.bin&tag=ci', { method: 'POST', body: BYTES })
  expect([made.status, await made.text()]).toEqual([201, HASH])
  const read = await server.ask(`/cas/${HASH}`)
  expect(Buffer.from(await read.arrayBuffer()).equals(BYTES)).toBe(true)
  expect(read.headers.get('content-security-policy')).toContain('sandbox')
  const part = await server.ask(`/cas/${HASH}`, { headers: { range: 'bytes=10-19' } })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(10, 20))).toBe(true)
  const known = await server.ask(`/cas/${HASH}`, { headers: { 'if-none-match': `"${HASH}"` } })
  expect(known.status).toBe(304)
  for (const path of ['/cas', `/cas/${HASH}`]) {
    const stranger = await fetch(`${server.origin}${path}`, {
      method: path === '/cas' ? 'POST' : 'GET',
    })
    expect(stranger.status).toBe(401)
    const elsewhere = { origin: 'http://evil.test' }
    expect((await server.ask(path, { headers: elsewhere })).status).toBe(403)
  }
  expect((await command(repository.directory, ['artifacts', '--tag', 'ci'])).out).toContain('x.bin')
})

it('what is too large or not what it should be is refused, and nothing is left', async () => {
  await using repository = await createProject()
  await using server = await startHttp(repository.directory, ['--http', '0'], {
    WAYMARK_MAX_ARTIFACT_BYTES: '1000',
  })
  const statusOf = async (path: string, body: Uint8Array) =>
    (await server.ask(path, { method: 'POST', body })).status
  expect(await statusOf('/cas', BYTES)).toBe(413)
  expect(await statusOf(`/cas?sha256=${HASH}`, BYTES.subarray(0, 100))).toBe(422)
  expect(await statusOf('/cas?sha256=..%2F..%2Fx', BYTES.subarray(0, 100))).toBe(400)
  for (const name of ['..%2f..%2fwaymark.db', 'waymark.db', HASH.toUpperCase()]) {
    expect((await server.ask(`/cas/${name}`)).status).toBe(400)
  }
  expect(contentFiles(repository)).toEqual([])
})

it('an upload whose sender goes away leaves nothing, and the server goes on', async () => {
  await using repository = await createProject()
  const { directory } = repository
  await using server = await startHttp(directory)
  const upload = await halfUpload(server, directory)
  upload.destroy()
  await vi.waitFor(() => expect(contentFiles(repository)).toEqual([]), { timeout: 50_000 })
  expect((await server.ask('/cas', { method: 'POST', body: BYTES })).status).toBe(201)
})

it('an upload whose server is killed is seen by nobody', async () => {
  await using repository = await createProject()
  const { directory } = repository
  const server = await startHttp(directory)
  const upload = await halfUpload(server, directory)
  await server.kill('SIGKILL')
  upload.destroy()
  expect((await command(directory, ['artifacts'])).out).toBe('no artifacts\n')
  await using again = await startHttp(directory)
  expect((await again.ask(`/cas/${HASH}`)).status).toBe(404)
  expect((await again.ask('/cas', { method: 'POST', body: BYTES })).status).toBe(201)
})
