import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { FAILURES } from '../../src/core/error.ts'
import { allOperations } from '../../src/registry.ts'
import { setup } from '../setup.ts'
import { createTestSite } from './test-site.ts'

interface Described {
  readonly paths: Record<string, Record<string, object>>
  readonly components: { readonly schemas: Record<string, object> & { readonly Error: object } }
}

async function describe(directory: string): Promise<Described> {
  await using site = createTestSite(directory)
  return (await (await site.ask('/openapi.json')).json()) as Described
}

it('the document is valid OpenAPI 3.1 and has every operation', async () => {
  await using project = await setup()
  const document = await describe(project.directory)
  const validator = new Validator()
  const { valid, errors } = await validator.validate({ ...document })
  expect([valid, errors]).toEqual([true, undefined])
  expect(validator.version).toBe('3.1')
  const operations = await allOperations()
  for (const { name, effect } of operations) {
    const methods = Object.keys(document.paths[`/api/${name}`] ?? {})
    expect(methods, name).toEqual(effect === 'read' ? ['get', 'post'] : ['post'])
  }
  const routes = new Set(operations.map(({ name }) => `/api/${name}`))
  const others = Object.keys(document.paths).filter((path) => !routes.has(path))
  expect(others).toEqual(['/health', '/metrics', '/api/event.stream', '/cas', '/cas/{hash}'])
  expect(document.paths['/api/hook.install']).toMatchObject({
    post: { security: [{ bearer: ['projects:write'] }, { bearer: ['code:write'] }] },
  })
  // A default that its own schema refuses.
  expect(JSON.stringify(document)).not.toMatch(/"default":"","[^{}]*"minLength":1/)
})

it('every route answers as its document says, whatever it is asked', async () => {
  await using project = await setup()
  const document = await describe(project.directory)
  await using site = createTestSite(project.directory)
  const ajv = new Ajv2020.default({ strict: false, validateFormats: false })
  const isError = ajv.compile(document.components.schemas.Error)
  let answered = 0
  for (const [path, methods] of Object.entries(document.paths)) {
    // A stream has no end.
    if (!path.startsWith('/api/') || path === '/api/event.stream') continue
    for (const method of Object.keys(methods)) {
      // The only one that waits for something to happen.
      const waits = path === '/api/event.wait'
      const body = waits ? '{"seconds":0}' : '{}'
      const headers = { 'content-type': 'application/json' }
      const response = await (method === 'post'
        ? site.ask(path, { method: 'POST', body, headers })
        : site.ask(`${path}${waits ? '?seconds=0' : ''}`))
      const answer: unknown = await response.json()
      const label = `${method} ${path} ${response.status} ${JSON.stringify(answer).slice(0, 300)}`
      if (response.status === 200) {
        const schema = document.components.schemas[`${path.slice('/api/'.length)}.output`] ?? {}
        expect(ajv.compile(schema)(answer), label).toBe(true)
        answered += 1
      } else {
        expect(isError(answer), label).toBe(true)
        const { code } = (answer as { error: { code: keyof typeof FAILURES } }).error
        expect(response.status, label).toBe(FAILURES[code].http)
        expect(code, label).not.toBe('internal')
      }
    }
  }
  expect(answered).toBeGreaterThan(30)
})
