import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createIssuer } from '../../../baton/test/auth/issuer.ts'
import { SCOPES } from '../../src/core/scopes.ts'
import { createProject, createRepository } from '../setup.ts'
import { waymark } from './binary.ts'
import { startCollector } from './collector.ts'
import { connectLegacy, type HttpServer, post, startHttp } from './http-server.ts'

/** Lets everybody do everything with the files of a process, unless it says otherwise itself. */
const CARELESS = { NODE_OPTIONS: '--import=data:text/javascript,process.umask(0)' }

/** Every file and folder below one, with its path. */
function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...walk(path)] : [path]
  })
}

/** Those that anybody but their owner may do something with. */
function openToOthers(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => (lstatSync(path).mode & 0o077) !== 0)
}

/** What agents do all day, and what strangers try. */
async function useAll(server: HttpServer, token: string): Promise<void> {
  const authorization = `Bearer ${token}`
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization, ...(init.headers as object) }
    const response = await fetch(`${server.origin}${path}`, { ...init, headers })
    await response.arrayBuffer()
    return response.status
  }
  {
    await using client = await connectLegacy(server.ready.url, { token })
    await client.call('task_create', { tasks: [{ title: 'a task' }] })
    await client.call('task_next', { claim: true })
  }
  expect(await ask('/api/entity.create', post({ type: 'note', title: 'x' }))).toBe(200)
  expect(await ask('/cas?name=x.bin', { method: 'POST', body: 'bytes' })).toBe(201)
  expect(await ask(`/api/entity.list?access_token=${token}`)).toBe(400)
  expect(await ask('/api/entity.list', { headers: { authorization: `Bearer ${token}x` } })).toBe(
    401,
  )
  expect(await ask('/api/entity.list', { headers: { authorization: `Basic ${token}` } })).toBe(401)
  expect(await ask(`/projects/${encodeURIComponent('none')}/api/entity.list`)).not.toBe(200)
  expect(await ask('/api/entity.get?id=99')).toBe(404)
  expect(await ask('/metrics')).toBe(200)
}

describe('what a server leaves behind', () => {
  it('is for its owner alone, however careless the system is, and holds no secret [http-privacy-owner-alone]', async () => {
    await using repository = createRepository()
    await using collector = await startCollector()
    const { directory } = repository
    await waymark(directory, ['init'], CARELESS)
    const logFile = join(directory, 'serve.log')
    const args = ['--http', '0', '--log-file', logFile]
    const env = { ...collector.env, ...CARELESS, WAYMARK_LOG_LEVEL: 'trace' }
    await using server = await startHttp(directory, args, env)
    await useAll(server, server.secret)
    const state = join(directory, '.git', 'waymark')
    // While it runs, as there are files then that a proper end takes away.
    const running = walk(state)
    if (process.platform !== 'win32') expect(openToOthers([state, logFile, ...running])).toEqual([])
    await server.kill('SIGTERM')
    const names = running.join(' ')
    for (const part of ['http-secret', 'http-sessions-', 'waymark.db', 'cas', 'bell'])
      expect(names).toContain(part)
    expectNowhere(server.secret, { server, repository, logFile, received: collector.received })
  })

  it('holds no token [http-privacy-holds-token]', async () => {
    await using repository = await createProject()
    await using collector = await startCollector()
    await using issuer = await createIssuer(SCOPES)
    const logFile = join(repository.directory, 'serve.log')
    const args = ['--http', '0', '--log-file', logFile]
    const env = { ...collector.env, WAYMARK_LOG_LEVEL: 'trace', OAUTH_ISSUER_URL: issuer.url }
    await using server = await startHttp(repository.directory, args, env)
    const claims = { ...issuer.goodClaims(), aud: server.ready.url, scope: SCOPES.join(' ') }
    const token = await issuer.sign(claims)
    await useAll(server, token)
    const expired = await issuer.sign({ ...claims, exp: 1 })
    const headers = { authorization: `Bearer ${expired}` }
    expect((await fetch(`${server.origin}/api/entity.list`, { headers })).status).toBe(401)
    await server.kill('SIGTERM')
    const places = { server, repository, logFile, received: collector.received }
    for (const secret of [token, expired])
      for (const part of secret.split('.').slice(1)) expectNowhere(part, places)
  })
})

interface Places {
  readonly server: HttpServer
  readonly repository: { readonly directory: string }
  readonly logFile: string
  readonly received: readonly { readonly body: string; readonly path: string }[]
}

function expectNowhere(secret: string, { server, repository, logFile, received }: Places): void {
  expect(secret.length).toBeGreaterThan(30)
  const state = join(repository.directory, '.git', 'waymark')
  const files = walk(state).filter(
    (path) => lstatSync(path).isFile() && !path.endsWith('http-secret'),
  )
  expect(files.length).toBeGreaterThan(5)
  for (const path of [...files, logFile])
    expect(readFileSync(path).includes(secret), path).toBe(false)
  expect(server.log.text).toContain('completed')
  expect(server.log.text.includes(secret), 'standard error').toBe(false)
  expect(received.length).toBeGreaterThan(0)
  expect(JSON.stringify(received).includes(secret), 'telemetry').toBe(false)
}

it('a server listens on this machine alone, unless it is told otherwise [http-privacy-server-listens]', async () => {
  await using repository = await createProject()
  await using server = await startHttp(repository.directory)
  const { port } = server.ready
  const addresses = Object.values(networkInterfaces())
    .flat()
    .flatMap((found) => (found === undefined || found.internal ? [] : [found]))
    .filter(({ address }) => !address.startsWith('fe80:'))
    .map(({ address }) => address)
  for (const address of addresses) expect(await canConnect(address, port), address).toBe(false)
  expect(await canConnect('127.0.0.1', port)).toBe(true)
  if (process.platform !== 'linux') return
  expect(listeningOn(port)).toEqual(['0100007F'])
})

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    const settle = (isOpen: boolean) => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.setTimeout(10_000, () => settle(false))
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}

/** The addresses at which the system says that somebody listens on a port, as it spells them. */
function listeningOn(port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => local.endsWith(suffix) && state === '0A')
      .map(([, local = '']) => local.slice(0, -suffix.length)),
  )
}
