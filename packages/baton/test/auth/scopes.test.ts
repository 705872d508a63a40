import { expect, it } from 'vitest'
import { createScopeRules, type ScopePolicy } from '../../src/auth/scope-policy.ts'
import { parseChallenge } from './auth-header.ts'
import { createIssuer } from './issuer.ts'
import { createResource, present } from './resource.ts'

const POLICY: ScopePolicy = {
  base: ['mem:read'],
  tools: {
    recall: [],
    remember: ['mem:write'],
    task_next: ['coord:write'],
    purge: ['mem:write', 'admin'],
  },
  methods: { 'completion/complete': ['coord:write'] },
  implies: { admin: ['mem:write', 'coord:write'], 'mem:write': ['mem:read'] },
}
const ALL = ['mem:read', 'mem:write', 'coord:write', 'admin']

/** What each tool needs, written out by hand with the hierarchy already applied. */
const ACCEPTED: Record<string, (granted: ReadonlySet<string>) => boolean> = {
  recall: (granted) => granted.has('mem:read') || granted.has('mem:write') || granted.has('admin'),
  remember: (granted) => granted.has('mem:write') || granted.has('admin'),
  task_next: (granted) =>
    granted.has('admin') ||
    (granted.has('coord:write') && (granted.has('mem:read') || granted.has('mem:write'))),
  purge: (granted) => granted.has('admin'),
  unheard_of: (granted) =>
    granted.has('mem:read') || granted.has('mem:write') || granted.has('admin'),
}

it('every tool accepts exactly the scope sets that the table declares', () => {
  const rules = createScopeRules(POLICY)
  let checked = 0
  for (const [tool, accepts] of Object.entries(ACCEPTED)) {
    for (let subset = 0; subset < 2 ** ALL.length; subset += 1) {
      const granted = ALL.filter((_, bit) => subset & (1 << bit))
      const needed = rules.needed([{ method: 'tools/call', tool }])
      expect(rules.covers(granted, needed), `${tool} with ${granted.join()}`).toBe(
        accepts(new Set(granted)),
      )
      checked += 1
    }
  }
  expect(checked).toBe(5 * 16)
})

it('names of Object.prototype members are not tools', () => {
  const rules = createScopeRules(POLICY)
  for (const tool of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    expect(rules.needed([{ method: tool, tool }])).toEqual(['mem:read'])
})

it('cycles in the scope hierarchy terminate', () => {
  const rules = createScopeRules({ base: ['c'], implies: { a: ['b'], b: ['a', 'c'] } })
  expect(rules.covers(['a'], ['c'])).toBe(true)
  expect(rules.covers(['c'], ['a'])).toBe(false)
})

it('the scopes of all operations in one request are requested together', () => {
  const rules = createScopeRules(POLICY)
  const operations = [
    { method: 'tools/call', tool: 'remember' },
    { method: 'completion/complete' },
    { method: 'tools/list' },
  ]
  expect(rules.needed(operations)).toEqual(['mem:read', 'mem:write', 'coord:write'])
})

it('an under-scoped call gets one challenge, whose scopes are sufficient', async () => {
  await using issuer = await createIssuer()
  const policy = { base: ['mem:read'], tools: { purge: ['mem:write', 'admin'] } }
  const resource = createResource(issuer, { scopes: policy })
  const operations = [{ method: 'tools/call', tool: 'purge' }]
  const weak = await present(resource, await issuer.fetchToken({ scope: 'mem:read' }))
  if (!weak.accepted) throw new Error(weak.denial.message)
  const denial = resource.authorize(weak.principal, operations)
  expect(denial?.status).toBe(403)
  const { parameters } = parseChallenge(denial?.headers['www-authenticate'] ?? '')
  expect(Object.fromEntries(parameters)).toEqual({
    error: 'insufficient_scope',
    scope: 'mem:read mem:write admin',
    resource_metadata: 'https://mcp.test/.well-known/oauth-protected-resource/mcp',
  })

  const scope = parameters.get('scope') ?? ''
  const strong = await present(resource, await issuer.fetchToken({ scope }))
  if (!strong.accepted) throw new Error(strong.denial.message)
  expect(resource.authorize(strong.principal, operations)).toBeUndefined()
})

it('a token without scopes may call nothing that needs one', async () => {
  await using issuer = await createIssuer()
  const resource = createResource(issuer)
  for (const scope of [undefined, '', ' ', 7, ['mem:read'], null, 'MEM:READ', 'mem:read,admin']) {
    const outcome = await present(resource, await issuer.sign({ ...issuer.goodClaims(), scope }))
    if (!outcome.accepted) throw new Error(outcome.denial.message)
    const denial = resource.authorize(outcome.principal, [{ method: 'tools/list' }])
    expect(denial?.status, JSON.stringify(scope)).toBe(403)
  }
})

it.each(['', 'two words', 'quo"te', 'back\\slash', 'line\nbreak', 'offline_access', 'é'])(
  'a policy with the scope %j is refused',
  (scope) => {
    expect(() => createScopeRules({ base: [scope] })).toThrow()
    expect(() => createScopeRules({ base: [], implies: { [scope]: [] } })).toThrow()
  },
)
