import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, type DialectClient, type Fields } from '../dialects/client.ts'
import { setup } from '../setup.ts'

/** Deep, slow and far away: what a program that took the schema for more than a text would stumble over. */
const SCHEMAS = [
  { $ref: 'http://169.254.169.254/latest/meta-data/schema.json' },
  { $ref: 'https://example.org/schema.json#/definitions/x', $id: 'https://example.org/' },
  { $schema: 'file:///etc/passwd', $ref: 'file:///etc/passwd' },
  { $ref: '#' },
  { $dynamicRef: 'https://example.org/#meta' },
  { type: 'string', pattern: '^(a+)+$(?:(x+x+)+y)*' },
  { format: 'regex', pattern: '(' },
  nested(400),
  { allOf: Array.from({ length: 180 }, () => ({ anyOf: [{ $ref: '#' }, { $ref: '#/allOf/0' }] })) },
]

/** Addresses that nobody may be led to by an entity, and some that may be kept but are never asked. */
const REFUSED_ADDRESSES = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'ftp://example.org/x',
  ' jAvAsCrIpT:alert(1)',
  'gopher://127.0.0.1:25/x',
]
const KEPT_ADDRESSES = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/',
  'http://127.0.0.1:1/',
  'http://localhost:1/x',
  'https://user@example.org/path?token=x',
]

function nested(depth: number): Fields {
  let schema: Fields = { type: 'string' }
  for (let level = 0; level < depth; level += 1) schema = { allOf: [schema] }
  return schema
}

const asked: string[] = []

describe('what is stored as data', () => {
  beforeEach(() => {
    asked.length = 0
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args) {
      asked.push(JSON.stringify(args))
      throw new Error('nothing here may connect anywhere')
    })
  })
  afterEach(() => void vi.restoreAllMocks())

  it('would be noticed if it were fetched', async () => {
    await expect(fetch('http://127.0.0.1:64999/')).rejects.toThrow()
    expect(asked.length).toBeGreaterThan(0)
  })

  it('is never fetched and never compiled: schemas of prompts [inert-data-never-fetched]', async () => {
    await using client = await connect('medulla')
    for (const [at, schema] of SCHEMAS.entries()) {
      const output_schema = JSON.stringify(schema)
      const made = await client.call('entity_create', {
        type: 'prompt',
        title: `prompt ${at}`,
        properties: { template: 'say {{x}}', output_schema },
      })
      const got = await client.call('entity_get', { id: made['id'] })
      expect(got).toMatchObject({ properties: { output_schema } })
      const rendered = await client.request('prompts/get', {
        name: `prompt-${at}`,
        arguments: { x: 'a'.repeat(40) },
      })
      expect(JSON.stringify(rendered.result)).toContain(JSON.stringify(output_schema).slice(1, -1))
    }
    expect(await readEverything(client)).toBeGreaterThan(SCHEMAS.length)
    expect(asked).toEqual([])
  })

  it('is never fetched: addresses of links, of which only those of the web are kept', async () => {
    await using project = await setup()
    await using client = await connect('medulla', { project })
    const link = (url: string) => ({ type: 'link', title: url.trim(), properties: { url } })
    for (const url of REFUSED_ADDRESSES) {
      const { error } = await client.request('tools/call', {
        name: 'entity_create',
        arguments: link(url),
      })
      expect(error?.['message']).toMatch(/url/)
    }
    for (const url of KEPT_ADDRESSES) await client.call('entity_create', link(url))
    expect(await readEverything(client)).toBeGreaterThan(KEPT_ADDRESSES.length)
    expect(asked).toEqual([])
  })
})

/** Every list and search; says how many entities it has seen. */
async function readEverything(client: DialectClient): Promise<number> {
  let seen = 0
  for (const [tool, args] of [
    ['entity_list', { limit: 100 }],
    ['search_fulltext', { query: 'prompt' }],
    ['search_semantic', { query: 'meta-data schema' }],
    ['graph_orphans', {}],
  ] as const) {
    seen += JSON.stringify(await client.call(tool, args)).split('"type"').length
  }
  for (const uri of ['medulla://prompts', 'medulla://graph', 'medulla://context/prompt']) {
    await client.request('resources/read', { uri })
  }
  await client.request('prompts/list')
  return seen
}
