import { ERROR_CODES } from '@waymark/baton'
import { expect, it } from 'vitest'
import { Failure, type FailureCode } from '../../src/core/error.ts'
import { createMissingStore } from '../../src/core/project/missing-store.ts'
import { connect } from '../dialects/client.ts'

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

it.each<[FailureCode, number, boolean]>([
  ['busy', ERROR_CODES.busy, true],
  ['timeout', ERROR_CODES.requestTimeout, true],
  ['not_initialised', ERROR_CODES.internalError, false],
  ['storage_full', ERROR_CODES.internalError, true],
  ['ambiguous_id', ERROR_CODES.invalidParams, false],
])('what cannot be read because of %s says so', async (code, number, retryable) => {
  const store = createMissingStore(new Failure(code, 'not now'))
  await using lodestar = await connect('lodestar', { server: { store } })
  await using medulla = await connect('medulla', { server: { store }, project: lodestar.project })
  const expected = { code: number, message: 'not now', data: { code, retryable } }
  for (const method of ['resources/read', 'resources/subscribe']) {
    const { error } = await lodestar.request(method, { uri: 'lodestar://status' })
    expect(error).toMatchObject(expected)
  }
  expect((await medulla.request('prompts/list')).error).toMatchObject(expected)
  const named = { name: 'project_summary' }
  expect((await medulla.request('prompts/get', named)).error).toMatchObject(expected)
  const modern = { uri: 'medulla://tasks', _meta: MODERN }
  expect((await medulla.request('resources/read', modern)).error).toMatchObject({
    ...expected,
    data: { retryable, seed: { code: expect.any(Number) } },
  })
})

it('a resource that is not there is named in the error, in every dialect and era [missing-resource-uri]', async () => {
  for (const [dialect, uris] of Object.entries({
    waymark: ['test://nothing', 'artifacts://nothing', 'artifacts://lineage/0000'],
    lodestar: ['test://nothing', 'lodestar://nothing', 'lodestar://task/T999'],
    medulla: ['test://nothing', 'medulla://nothing', 'medulla://entity/0000'],
  })) {
    await using client = await connect(dialect)
    for (const uri of uris) {
      for (const _meta of [undefined, MODERN]) {
        const { error } = await client.request('resources/read', { uri, ...(_meta && { _meta }) })
        expect(error, `${dialect} ${uri}`).toMatchObject({ data: { uri } })
      }
    }
  }
})
