import { describe, expect, it } from 'vitest'
import { loadDialects } from '../../../src/dialects/load-dialects.ts'
import { execute } from '../../../src/core/execute.ts'
import { addArtifact } from '../../../src/artifact/operations.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'
import { pathToOutside } from '../../setup.ts'

async function connectWithArtifacts(): Promise<DialectClient> {
  const dialects = await loadDialects('waymark', { toolsets: 'artifacts' })
  return await connect('waymark', { server: { dialects } })
}

async function read(client: DialectClient, uri: string): Promise<Fields> {
  const { result, error } = await client.request('resources/read', { uri })
  if (result === undefined) throw new Error(JSON.stringify(error))
  return (result['contents'] as Fields[])[0] ?? {}
}

async function readJson(client: DialectClient, uri: string): Promise<Fields> {
  const { mimeType, text } = await read(client, uri)
  expect(mimeType).toBe('application/json')
  return JSON.parse(String(text)) as Fields
}

describe('artifacts as resources', () => {
  it('are listed', async () => {
    await using client = await connect('waymark')
    const { result } = await client.request('resources/list')
    expect(((result?.['resources'] ?? []) as Fields[]).map(({ uri }) => uri)).toEqual([
      'artifacts://summary',
      'artifacts://recent',
    ])
    const templates = await client.request('resources/templates/list')
    const uris = ((templates.result?.['resourceTemplates'] ?? []) as Fields[]).map(
      (one) => one['uriTemplate'],
    )
    expect(uris).toEqual([
      'artifacts://by-tag/{tag}{?limit,offset}',
      'artifacts://by-creator/{creator}{?limit,offset}',
      'artifacts://lineage/{id}',
      'cas://{hash}',
    ])
  })

  it('answer with what there is', async () => {
    await using client = await connect('waymark')
    const ada = client.project.as('ada')
    const first = await execute(ada, addArtifact, { text: 'one', tags: ['type:log', 'a b'] })
    const second = await execute(client.project.context, addArtifact, {
      base64: 'iVBORw0KGgo=',
      parent: first.id,
    })
    expect(await readJson(client, 'artifacts://summary')).toMatchObject({
      total: 2,
      by_type: { 'image/png': 1, 'text/plain': 1 },
      by_tag: { 'type:log': 1 },
      by_creator: { ada: 1, tester: 1 },
    })
    expect(await readJson(client, 'artifacts://recent')).toMatchObject({
      artifacts: [{ id: second.id }, { id: first.id }],
    })
    for (const uri of ['artifacts://by-tag/a%20b', 'artifacts://by-creator/ada?limit=1']) {
      expect(await readJson(client, uri)).toMatchObject({ artifacts: [{ id: first.id }], total: 1 })
    }
    expect(await readJson(client, `artifacts://lineage/${second.id}`)).toMatchObject({
      artifact_id: second.id,
      depth: 1,
      chain: [{ id: first.id }, { id: second.id }],
    })
    const uri = `cas://${first.hash}`
    expect(await read(client, uri)).toEqual({ uri, mimeType: 'text/plain', text: 'one' })
    expect(await read(client, second.uri)).toMatchObject({
      mimeType: 'image/png',
      blob: 'iVBORw0KGgo=',
    })
  })

  it.each(['cas://abcd', `cas://${'0'.repeat(64)}`, 'cas://..%2F..%2Fx', 'artifacts://lineage/x'])(
    '%s is an error',
    async (uri) => {
      await using client = await connect('waymark')
      await execute(client.project.context, addArtifact, { text: 'one' })
      const { error } = await client.request('resources/read', { uri })
      expect(error).toMatchObject({ code: expect.any(Number), message: expect.any(String) })
    },
  )

  it('tell whoever watches them that something was added', async () => {
    await using client = await connect('waymark')
    const uris = ['artifacts://recent', 'artifacts://by-tag/ci']
    for (const uri of uris) {
      expect((await client.request('resources/subscribe', { uri })).error).toBeUndefined()
    }
    await execute(client.project.context, addArtifact, { text: 'one', tags: ['ci'] })
    for (const uri of uris) {
      await client.client.next(
        ({ method, params }) =>
          method === 'notifications/resources/updated' && (params as Fields)['uri'] === uri,
      )
    }
  })
})

describe('artifacts as tools', () => {
  it('are added, listed and read', async () => {
    await using client = await connectWithArtifacts()
    const text = 'line of a log\n'.repeat(1000)
    const added = await client.call('artifact_add', { text, name: 'a.log', tags: ['ci'] })
    expect(await client.call('artifact_list', { tag: 'ci' })).toMatchObject({
      artifacts: [{ id: added['id'], name: 'a.log' }],
    })
    let read = ''
    for (let offset: unknown = 0; offset !== undefined;) {
      const part = await client.call('artifact_read', { id: added['id'], offset })
      read += String(part['text'])
      offset = part['next_offset']
    }
    expect(read).toBe(text)
  })

  it('that are no text come whole in base64, within the budget of an answer', async () => {
    await using client = await connectWithArtifacts()
    const base64 = Buffer.from(Array.from({ length: 2900 }, (_, n) => (n * n) % 251)).toString(
      'base64',
    )
    const { id } = await client.call('artifact_add', { base64 })
    expect(await client.call('artifact_read', { id })).toMatchObject({ base64 })
  })

  it('that are refused say what to do', async () => {
    await using client = await connectWithArtifacts()
    expect(
      await client.refusal('artifact_add', { path: pathToOutside('/etc/passwd') }),
    ).toMatchObject({
      error: { code: expect.stringMatching(/forbidden|invalid_input/) },
    })
    expect(await client.refusal('artifact_read', { id: 'abcdef' })).toMatchObject({
      error: { code: 'not_found', details: { field: 'id' } },
    })
  })
})
