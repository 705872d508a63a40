import { expect, it } from 'vitest'
import { createRequestGuard } from '../../src/auth/request-guard.ts'

const PORT = 4120
const guard = createRequestGuard({
  allowedHosts: [`localhost:${PORT}`, `127.0.0.1:${PORT}`, `[::1]:${PORT}`],
})
const OWN_HOST = `127.0.0.1:${PORT}`

it.each([`localhost:${PORT}`, `127.0.0.1:${PORT}`, `[::1]:${PORT}`, `LocalHost:${PORT}`])(
  'host %s is allowed',
  (host) => {
    expect(guard({ host, origin: null, scheme: 'http' })).toBeUndefined()
  },
)

it.each([
  null,
  '',
  'evil.test',
  `evil.test:${PORT}`,
  `localhost.evil.test:${PORT}`,
  `localhost.:${PORT}`,
  `127.0.0.1.:${PORT}`,
  `127.1:${PORT}`,
  `127.0.1:${PORT}`,
  `0.0.0.0:${PORT}`,
  `0:${PORT}`,
  `2130706433:${PORT}`,
  `0x7f.0.0.1:${PORT}`,
  `0177.0.0.1:${PORT}`,
  `[::ffff:127.0.0.1]:${PORT}`,
  `[0:0:0:0:0:0:0:1]:${PORT}`,
  `[::]:${PORT}`,
  `[::1%25lo]:${PORT}`,
  `::1:${PORT}`,
  'localhost',
  '127.0.0.1',
  'localhost:80',
  `localhost:${PORT + 1}`,
  `localhost:0${PORT}`,
  `localhost:${PORT}0`,
  'localhost:',
  'localhost:*',
  `localhost:+${PORT}`,
  `user@localhost:${PORT}`,
  `localhost:${PORT}@evil.test`,
  `evil.test@localhost:${PORT}`,
  `localhost:${PORT}/`,
  `localhost:${PORT}#evil.test`,
  `localhost:${PORT}?`,
  `localhost :${PORT}`,
  ` localhost:${PORT}`,
  `localhost:${PORT} `,
  `localhost:${PORT}, evil.test`,
  `evil.test, localhost:${PORT}`,
  `http://localhost:${PORT}`,
  `localhost\0:${PORT}`,
  `loc\u0430lhost:${PORT}`,
  `127。0。0。1:${PORT}`,
  `${'a'.repeat(10_000)}:${PORT}`,
])('host %j is refused, with and without an allowed origin', (host) => {
  for (const origin of [null, `http://${OWN_HOST}`])
    expect(guard({ host, origin, scheme: 'http' })?.status).toBe(403)
})

it('the server’s own origin is accepted with its own host', () => {
  for (const host of [`localhost:${PORT}`, OWN_HOST, `[::1]:${PORT}`])
    expect(guard({ host, origin: `http://${host}`, scheme: 'http' })).toBeUndefined()
})

it.each([
  'null',
  '',
  'http://evil.test',
  `http://evil.test:${PORT}`,
  `http://localhost.evil.test:${PORT}`,
  `http://127.0.0.1.evil.test:${PORT}`,
  `http://evil.test/127.0.0.1:${PORT}`,
  `https://${OWN_HOST}`,
  `HTTP://${OWN_HOST}`,
  `http://127.0.0.1`,
  `http://127.0.0.1:${PORT + 1}`,
  `http://127.0.0.1:0${PORT}`,
  `http://127.1:${PORT}`,
  `http://localhost:${PORT}`,
  `http://user@${OWN_HOST}`,
  `http://${OWN_HOST}/`,
  `http://${OWN_HOST}.`,
  `http://${OWN_HOST} `,
  `http://${OWN_HOST}, http://evil.test`,
  `//${OWN_HOST}`,
  OWN_HOST,
  'file://',
  'chrome-extension://abcdefghijklmnop',
  `ws://${OWN_HOST}`,
])('origin %j with an allowed host is refused', (origin) => {
  expect(guard({ host: OWN_HOST, origin, scheme: 'http' })).toMatchObject({
    status: 403,
    message: 'origin is not allowed',
  })
})

it('the origin of a page on the default port has no port', () => {
  const standard = createRequestGuard({ allowedHosts: ['mcp.test', 'mcp.test:443'] })
  for (const host of ['mcp.test', 'mcp.test:443']) {
    expect(standard({ host, origin: 'https://mcp.test', scheme: 'https' })).toBeUndefined()
    expect(standard({ host, origin: 'http://mcp.test', scheme: 'https' })?.status).toBe(403)
  }
})

it('configured origins and hosts are accepted, and no others', () => {
  const named = createRequestGuard({
    allowedHosts: ['mcp.test'],
    allowedOrigins: ['https://app.test', 'http://localhost:5173'],
  })
  const accepts = (host: string, origin: string | null): boolean =>
    named({ host, origin, scheme: 'https' }) === undefined
  expect(accepts('mcp.test', 'https://app.test')).toBe(true)
  expect(accepts('mcp.test', 'http://localhost:5173')).toBe(true)
  expect(accepts('mcp.test', 'https://mcp.test')).toBe(true)
  expect(accepts('mcp.test', null)).toBe(true)
  expect(accepts('mcp.test', 'https://app.test:8443')).toBe(false)
  expect(accepts('app.test', 'https://app.test')).toBe(false)
  expect(accepts('localhost:5173', null)).toBe(false)
})

it('without options the loopback names are accepted on any port', () => {
  const loopback = createRequestGuard()
  for (const host of ['localhost:1', 'localhost', '127.0.0.1:65535', '[::1]:80'])
    expect(loopback({ host, origin: null, scheme: 'http' })).toBeUndefined()
  for (const host of ['localhost:65536', 'evil.test', '127.0.0.2:80', '0.0.0.0:80'])
    expect(loopback({ host, origin: null, scheme: 'http' })?.status).toBe(403)
})

it.each(['0.0.0.0', '0.0.0.0:80', '[::]:80', 'user@host', 'host/', '', '*', 'a b', 'https://h'])(
  '%j cannot be allowed as a host',
  (host) => {
    expect(() => createRequestGuard({ allowedHosts: [host] })).toThrow('allowed host')
  },
)

it.each(['null', '*', 'app.test', 'https://app.test/', 'https://APP.test', 'https://app.test:443'])(
  '%j cannot be allowed as an origin',
  (origin) => {
    expect(() => createRequestGuard({ allowedOrigins: [origin] })).toThrow('allowed origin')
  },
)
