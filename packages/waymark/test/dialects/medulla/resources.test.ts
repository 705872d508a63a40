import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { connectMedulla, type Fields, type MedullaClient } from './client.ts'

const CONCRETE = [
  'schema',
  'stats',
  'entities',
  'decisions',
  'decisions/active',
  'tasks',
  'tasks/active',
  'tasks/ready',
  'tasks/blocked',
  'prompts',
  'graph',
].map((path) => `medulla://${path}`)

const FAMILIES = ['entities/{type}', 'entity/{id}', 'tasks/due/{date}', 'context/{topic}']

const titles = (answer: Fields) => (answer['entities'] as { title: string }[]).map((e) => e.title)

async function filled(): Promise<MedullaClient> {
  const medulla = await connectMedulla()
  const make = (type: string, title: string, rest: Fields = {}) =>
    medulla.call('entity_create', { type, title, ...rest })
  await make('decision', 'Use PostgreSQL', { properties: { status: 'accepted' } })
  await make('decision', 'Use flat files', { properties: { status: 'superseded' } })
  await make('decision', 'Use XML', { properties: { status: 'deprecated' } })
  await make('task', 'Write schema', { properties: { due_date: '2026-12-01' } })
  await make('task', 'Write queries', {
    properties: { priority: 'high' },
    relations: ['implements:1'],
  })
  await make('task', 'Celebrate', { properties: { status: 'done' } })
  await make('prompt', 'Review', { properties: { template: 'Look' } })
  await make('link', 'Manual', { properties: { url: 'https://example.org' } })
  await medulla.call('relation_create', {
    source_id: '4',
    target_id: '5',
    relation_type: 'blocks',
  })
  return medulla
}

describe('lists', () => {
  it('the concrete resources, all as JSON [resources-concrete-all]', async () => {
    await using medulla = await connectMedulla()
    const resources = await medulla.list('resources/list', 'resources')
    expect(resources.map(({ uri }) => uri)).toEqual(CONCRETE)
    expect(new Set(resources.map(({ mimeType }) => mimeType))).toEqual(
      new Set(['application/json']),
    )
  })

  it('the templates, with paging where there are pages [resources-templates-paging]', async () => {
    await using medulla = await connectMedulla()
    const listed = await medulla.list('resources/templates/list', 'resourceTemplates')
    const templates = listed.map(({ uriTemplate }) => String(uriTemplate))
    for (const family of FAMILIES) {
      expect(templates.some((template) => template.startsWith(`medulla://${family}`))).toBe(true)
    }
    expect(templates).toContain('medulla://entities{?limit,offset}')
    expect(templates).toContain('medulla://entity/{id}')
  })
})

describe('reading', () => {
  it('an answer names its address and its type', async () => {
    await using medulla = await filled()
    const { result } = await medulla.request('resources/read', { uri: 'medulla://entity/1' })
    expect(result?.['contents']).toEqual([
      { uri: 'medulla://entity/1', mimeType: 'application/json', text: expect.any(String) },
    ])
  })

  it('medulla://entity/{id} by sequence number and by prefix of the UUID', async () => {
    await using medulla = await filled()
    const entity = await medulla.read('medulla://entity/1')
    expect(entity).toEqual(await medulla.call('entity_get', { id: '1' }))
    const prefix = String(entity['id']).slice(0, 9)
    expect(await medulla.read(`medulla://entity/${prefix}`)).toEqual(entity)
  })

  it.each([
    ['entities', 8, 'Use PostgreSQL'],
    ['entities/decision', 3, 'Use PostgreSQL'],
    ['entities/tasks', 3, 'Write schema'],
    ['decisions', 3, 'Use PostgreSQL'],
    ['decisions/active', 2, 'Use PostgreSQL'],
    ['tasks', 3, 'Write schema'],
    ['tasks/active', 2, 'Write schema'],
    ['tasks/ready', 1, 'Write schema'],
    ['tasks/blocked', 1, 'Write queries'],
    ['tasks/due/2026-12-01', 1, 'Write schema'],
    ['tasks/due/2026-12-02', 0, undefined],
    ['prompts', 1, 'Review'],
  ])('medulla://%s lists %i [resources-medulla-lists]', async (path, total, first) => {
    await using medulla = await filled()
    const answer = await medulla.read(`medulla://${path}`)
    expect(answer).toMatchObject({ total, limit: 50, offset: 0 })
    expect(titles(answer)).toHaveLength(total)
    expect(titles(answer)[0]).toBe(first)
  })

  it('blocked tasks come with what blocks them [resources-blocked-tasks]', async () => {
    await using medulla = await filled()
    expect(await medulla.read('medulla://tasks/blocked')).toMatchObject({
      entities: [
        {
          type: 'task',
          title: 'Write queries',
          properties: { priority: 'high', status: 'todo' },
          blockers: [{ sequence_number: 4, title: 'Write schema', status: 'todo' }],
        },
      ],
    })
  })

  it('pages with ?limit=&offset=, never more than 100 [resources-pages-limit]', async () => {
    await using medulla = await filled()
    const page = await medulla.read('medulla://entities?limit=2&offset=3')
    expect(page).toMatchObject({ total: 8, limit: 2, offset: 3 })
    expect(titles(page)).toEqual(['Write schema', 'Write queries'])
    expect(await medulla.read('medulla://entities/task?limit=1')).toMatchObject({ limit: 1 })
    expect(await medulla.read('medulla://entities?limit=5000')).toMatchObject({ limit: 100 })
    expect(await medulla.read('medulla://tasks/ready?limit=1&offset=1')).toMatchObject({
      entities: [],
      total: 1,
    })
  })

  it('medulla://stats [resources-medulla-stats]', async () => {
    await using medulla = await filled()
    medulla.project.tick(60_000)
    await medulla.call('entity_update', { id: '1', title: 'Use PostgreSQL 18' })
    medulla.project.tick(60_000)
    expect(await medulla.read('medulla://stats')).toEqual({
      entity_counts: { decision: 3, task: 3, note: 0, prompt: 1, component: 0, link: 1 },
      relation_count: 2,
      last_modified: '2026-11-15T12:01:00.000Z',
      medulla_version: expect.any(String),
    })
  })

  it('medulla://graph [resources-medulla-graph]', async () => {
    await using medulla = await filled()
    const graph = await medulla.read('medulla://graph')
    expect(graph).toMatchObject({ entity_count: 8, relation_count: 2 })
    expect(graph['relations']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          source_type: 'task',
          target_type: 'decision',
          relation_type: 'implements',
        }),
      ]),
    )
    expect((graph['entities'] as Fields[])[0]).toHaveProperty('sequence_number', 1)
  })

  it('medulla://context/{topic} finds by words without a model and gives whole entities with a score [resources-medulla-context]', async () => {
    await using medulla = await filled()
    const answer = await medulla.read('medulla://context/postgres%20schema')
    expect(answer).toMatchObject({ topic: 'postgres schema', mode: 'fulltext' })
    expect(titles(answer)).toEqual(expect.arrayContaining(['Use PostgreSQL', 'Write schema']))
    expect((answer['entities'] as Fields[])[0]).toMatchObject({
      score: expect.any(Number),
      properties: expect.any(Object),
    })
  })

  it('medulla://schema is the truth: what it accepts is accepted, what it refuses is refused [resources-medulla-schema]', async () => {
    await using medulla = await filled()
    const schema = await medulla.read('medulla://schema')
    expect(schema['entity_types']).toEqual([
      'decision',
      'task',
      'note',
      'prompt',
      'component',
      'link',
    ])
    expect(schema['relation_types']).toEqual(
      expect.arrayContaining(['implements', 'blocks', 'supersedes', 'references', 'belongs_to']),
    )
    const isEntity = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    const { entities } = await medulla.read('medulla://entities')
    for (const entity of entities as Fields[]) {
      isEntity(entity)
      expect(isEntity.errors).toBeNull()
    }
    const [decision, , , task] = entities as Fields[]
    const statusOf = (entity: Fields | undefined, status: string) => ({
      ...entity,
      properties: { ...(entity?.['properties'] as Fields), status },
    })
    expect(isEntity(statusOf(decision, 'todo'))).toBe(false)
    expect(isEntity(statusOf(task, 'in_progress'))).toBe(true)
    expect(isEntity({ ...task, type: 'epic' })).toBe(false)
  })
})

describe('what cannot be read', () => {
  it.each([
    'medulla://nothing',
    'medulla://entity/99',
    'medulla://entity/ffffffff',
    'medulla://tasks/ready/more',
    'medulla://',
  ])('%s is not found: -32005 [resources-found-32005]', async (uri) => {
    await using medulla = await filled()
    expect(await medulla.readRefusal(uri)).toMatchObject({
      code: -32005,
      data: { error_type: 'ResourceNotFound', uri },
    })
  })

  it.each([
    'http://example.org',
    'nonsense',
    '',
    'medulla://entities?limit=many',
    'medulla://entities?limit=0',
    'medulla://entities?offset=-1',
    'medulla://entities/epic',
    'medulla://tasks/due/tomorrow',
    'medulla://entity/xyz',
    'medulla://context/%E0%A4%A',
    'medulla://entities#part',
  ])('%s is no address: -32006 [resources-address-32006]', async (uri) => {
    await using medulla = await filled()
    expect(await medulla.readRefusal(uri)).toMatchObject({
      code: -32006,
      data: { error_type: 'InvalidResourceUri', uri },
    })
  })

  it('in the modern era the codes are data [resources-modern-era]', async () => {
    await using medulla = await filled()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const { error } = await medulla.request('resources/read', { uri: 'medulla://nothing', _meta })
    expect(error).toMatchObject({
      code: -32602,
      data: { error_type: 'ResourceNotFound', seed: { code: -32005 } },
    })
    const { result } = await medulla.request('tools/call', {
      name: 'entity_get',
      arguments: { id: '99' },
      _meta,
    })
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'not_found', seed: { code: -32001, error_type: 'EntityNotFound' } },
      },
    })
  })
})
