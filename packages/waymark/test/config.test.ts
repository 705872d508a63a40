import { describe, expect, it } from 'vitest'
import { loadConfig } from '../src/core/project/config.ts'
import { readHttpSettings } from '../src/surfaces/serve/http-settings.ts'

describe('the variables of the tasky dialect', () => {
  it('say how long a call may take and how many run at once, unless ours say something else', () => {
    const env = { TASKY_MCP_TIMEOUT_SECONDS: '60', TASKY_MCP_MAX_CONCURRENT_REQUESTS: '10' }
    const asked = { requestTimeoutMs: 60_000, maxConcurrentRequests: 10 }
    expect(loadConfig(undefined, env)).toMatchObject(asked)
    const ours = { WAYMARK_REQUEST_TIMEOUT_MS: '5', WAYMARK_MAX_CONCURRENT_REQUESTS: '2' }
    expect(loadConfig(undefined, { ...env, ...ours })).toMatchObject({
      requestTimeoutMs: 5,
      maxConcurrentRequests: 2,
    })
    const flags = { requestTimeoutMs: 7 }
    expect(loadConfig(undefined, { ...env, ...ours }, flags)).toMatchObject(flags)
  })

  it('in seconds may be a fraction', () => {
    const env = { TASKY_MCP_TIMEOUT_SECONDS: '0.5' }
    expect(loadConfig(undefined, env).requestTimeoutMs).toBe(500)
  })

  it('say where to listen and whose tokens are taken, unless flags or ours say something else', () => {
    const env = {
      TASKY_MCP_HOST: '0.0.0.0',
      TASKY_MCP_PORT: '9000',
      TASKY_MCP_OAUTH_ISSUER_URL: 'https://id.example.com',
      TASKY_MCP_OAUTH_CLIENT_ID: 'one, two',
      TASKY_MCP_OAUTH_AUDIENCE: 'https://waymark.example.com/mcp',
      WAYMARK_PUBLIC_URL: 'https://waymark.example.com',
    }
    expect(readHttpSettings({ http: true }, env)).toMatchObject({
      host: '0.0.0.0',
      port: 9000,
      isLoopback: false,
      oauth: {
        issuer: 'https://id.example.com',
        clientIds: ['one', 'two'],
        audience: 'https://waymark.example.com/mcp',
      },
    })
    const ours = { WAYMARK_HOST: '::1', WAYMARK_PORT: '1', OAUTH_CLIENT_ID: 'three' }
    expect(readHttpSettings({}, { ...env, ...ours })).toMatchObject({
      host: '::1',
      port: 1,
      oauth: { clientIds: ['three'] },
    })
    expect(readHttpSettings({ host: 'localhost', http: '2' }, env)).toMatchObject({
      host: 'localhost',
      port: 2,
    })
  })
})

it('a time limit that no timer can keep is the longest that one can', () => {
  const env = { WAYMARK_REQUEST_TIMEOUT_MS: '99999999999' }
  expect(loadConfig(undefined, env).requestTimeoutMs).toBe(2 ** 31 - 1)
})

describe('other machines', () => {
  const host = { host: '0.0.0.0' }
  const secret = { WAYMARK_HTTP_SECRET: 'x'.repeat(32) }
  const oauth = { OAUTH_ISSUER_URL: 'https://id.example.com' }

  it('are let in with a credential and encryption, or where it was said that none is needed', () => {
    for (const env of [secret, oauth]) {
      for (const safe of [
        { WAYMARK_PUBLIC_URL: 'https://waymark.example.com' },
        { WAYMARK_PLAIN_HTTP: '1' },
      ])
        expect(readHttpSettings(host, { ...env, ...safe })).toMatchObject({ isLoopback: false })
      expect(readHttpSettings({ ...host, plainHttp: true }, env)).toMatchObject(host)
    }
  })

  it.each([
    ['0.0.0.0', {}, 'OAUTH_ISSUER_URL'],
    ['0.0.0.0', { WAYMARK_PLAIN_HTTP: '1' }, 'OAUTH_ISSUER_URL'],
    ['0.0.0.0', { WAYMARK_PUBLIC_URL: 'https://waymark.example.com' }, 'OAUTH_ISSUER_URL'],
    ['0.0.0.0', secret, '--public-url https'],
    ['::', oauth, '--public-url https'],
    ['192.168.1.2', { ...oauth, WAYMARK_PUBLIC_URL: 'http://waymark.example.com' }, '--plain-http'],
    ['192.168.1.2', { ...oauth, WAYMARK_PLAIN_HTTP: '0' }, '--plain-http'],
    ['127.0.0.2', secret, '--plain-http'],
  ])('%s with %j is refused with the remedy [config-refused-remedy]', (name, env, remedy) => {
    expect(() => readHttpSettings({ host: name }, env)).toThrow(remedy)
  })
})

describe('an issuer of tokens', () => {
  it.each([
    'https://id.example.com',
    'https://id.example.com/realms/team',
    'http://127.0.0.1:8080',
    'http://127.0.0.2',
    'http://[::1]:8080/realms/team',
    'http://localhost:8080',
  ])('is found over TLS, or on this machine: %s', (issuer) => {
    const { oauth } = readHttpSettings({}, { OAUTH_ISSUER_URL: issuer })
    expect(oauth).toMatchObject({ issuer })
  })

  it.each([
    'http://id.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1@id.example.com',
    'http://user@id.example.com',
  ])(
    'elsewhere without TLS is refused, because its keys could be replaced on the way: %s',
    (issuer) => {
      for (const name of ['OAUTH_ISSUER_URL', 'TASKY_MCP_OAUTH_ISSUER_URL']) {
        expect(() => readHttpSettings({}, { [name]: issuer })).toThrow(
          'OAUTH_ISSUER_URL: must be an https address, or an http address of this machine',
        )
      }
    },
  )
})

describe('how much a caller may ask for', () => {
  it('has a limit that can be set or taken away', () => {
    expect(readHttpSettings({}, {})).toMatchObject({ rateLimit: { perSecond: 200, burst: 2000 } })
    expect(readHttpSettings({ rateLimit: '5' }, { WAYMARK_RATE_LIMIT: '7' })).toMatchObject({
      rateLimit: { perSecond: 5, burst: 50 },
    })
    expect(readHttpSettings({}, { WAYMARK_RATE_LIMIT: '0' }).rateLimit).toBeUndefined()
    for (const text of ['', ' ', '-1', 'x', '1e3', '1.5', '99999999'])
      expect(() => readHttpSettings({ rateLimit: text }, {})).toThrow('rate-limit: must be')
  })
})

describe('a variable that makes no sense', () => {
  it.each([
    ['TASKY_MCP_TIMEOUT_SECONDS', 'soon', 'requestTimeoutMs: must be a whole number above 0'],
    ['TASKY_MCP_MAX_CONCURRENT_REQUESTS', '0', 'maxConcurrentRequests: must be a whole number'],
    ['MEDULLA_REQUEST_TIMEOUT_MS', '-1', 'requestTimeoutMs: must be a whole number above 0'],
    ['MEDULLA_MAX_BATCH_SIZE', '1.5', 'maxBatchSize: must be a whole number above 0'],
    ['MEDULLA_LOG_LEVEL', 'loud', 'logLevel: must be one of trace, debug, info, warn, error'],
    ['WAYMARK_MAX_ARTIFACT_BYTES', 'much', 'maxArtifactBytes: must be a whole number above 0'],
  ])('%s=%s is named, with what was expected', (name, value, message) => {
    const load = () => loadConfig(undefined, { [name]: value })
    expect(load).toThrow(message)
    expect(load).toThrow(`${name} is "${value}"`)
  })

  it.each([
    [
      'WAYMARK_PORT',
      '99999',
      'port: must be a whole number from 0 to 65535 (WAYMARK_PORT is "99999")',
    ],
    ['TASKY_MCP_PORT', 'x', 'port: must be a whole number from 0 to 65535 (TASKY_MCP_PORT is "x")'],
    ['WAYMARK_RATE_LIMIT', '-1', '(WAYMARK_RATE_LIMIT is "-1")'],
  ])('%s=%s of a server is named too', (name, value, message) => {
    expect(() => readHttpSettings({}, { [name]: value })).toThrow(message)
  })

  it.each([
    ['WAYMARK_PUBLIC_URL', 'public-url: must be an address like .* \\(WAYMARK_PUBLIC_URL\\)'],
    ['TASKY_MCP_OAUTH_ISSUER_URL', 'OAUTH_ISSUER_URL: .* \\(TASKY_MCP_OAUTH_ISSUER_URL\\)'],
    ['WAYMARK_HTTP_SECRET', 'WAYMARK_HTTP_SECRET: must be 32 or more .*'],
  ])('%s is named without its value, which may hold a credential', (name, message) => {
    const read = () => readHttpSettings({}, { [name]: 'ftp://user:hunter2@host' })
    expect(read).toThrow(new RegExp(`^${message}$`))
  })

  it('is not blamed for what a flag says', () => {
    const load = () =>
      loadConfig(undefined, { WAYMARK_MAX_BATCH_SIZE: '5' }, { maxBatchSize: Number.NaN })
    expect(load).toThrow(/^maxBatchSize: must be a whole number above 0$/)
  })
})
