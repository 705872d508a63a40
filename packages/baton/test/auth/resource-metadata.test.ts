import { expect, it } from 'vitest'
import { createResourceMetadata } from '../../src/auth/resource-metadata.ts'

const DEFAULTS = { authorizationServers: ['https://issuer.test'], scopes: ['mem:read'] }
const ROOT = '/.well-known/oauth-protected-resource'

it.each([
  ['https://host.test:8443/mcp', `https://host.test:8443${ROOT}/mcp`, [`${ROOT}/mcp`, ROOT]],
  ['https://host.test', `https://host.test${ROOT}`, [ROOT]],
  ['https://host.test/', `https://host.test${ROOT}`, [ROOT]],
  ['https://host.test/a/b', `https://host.test${ROOT}/a/b`, [`${ROOT}/a/b`, ROOT]],
  ['https://host.test/mcp/', `https://host.test${ROOT}/mcp/`, [`${ROOT}/mcp/`, ROOT]],
  ['http://localhost:3000/mcp', `http://localhost:3000${ROOT}/mcp`, [`${ROOT}/mcp`, ROOT]],
])('%s is described at %s', (resource, url, paths) => {
  const metadata = createResourceMetadata({ resource, ...DEFAULTS })
  expect(metadata.url).toBe(url)
  expect(metadata.paths).toEqual(paths)
  expect(JSON.parse(metadata.body)).toEqual({
    resource,
    authorization_servers: ['https://issuer.test'],
    scopes_supported: ['mem:read'],
    bearer_methods_supported: ['header'],
  })
})

it('name and documentation are included when given', () => {
  const { body } = createResourceMetadata({
    resource: 'https://host.test/mcp',
    ...DEFAULTS,
    name: 'Memory',
    documentation: 'https://host.test/docs',
  })
  expect(JSON.parse(body)).toMatchObject({
    resource_name: 'Memory',
    resource_documentation: 'https://host.test/docs',
  })
})

it.each([
  'host.test/mcp',
  'https://host.test/mcp#part',
  'https://user@host.test/mcp',
  'https://user:pass@host.test/mcp',
  'ftp://host.test/mcp',
  'file:///etc/passwd',
  'https://host.test/m"cp',
  'https://host.test/m cp',
  'https:host.test/mcp',
  '',
])('%j is refused as a resource', (resource) => {
  expect(() => createResourceMetadata({ resource, ...DEFAULTS })).toThrow('resource')
})
