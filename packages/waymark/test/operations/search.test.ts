import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { searchByQuery, searchByText } from '../../src/search/operations.ts'
import { setup } from '../setup.ts'

interface Given {
  readonly type?: string
  readonly title: string
  readonly content?: string
  readonly tags?: readonly string[]
  readonly properties?: object
}

async function projectWith(...given: readonly Given[]) {
  const project = await setup()
  for (const entity of given) await add(project.context, entity)
  return project
}

const add = (context: Context, entity: Given) =>
  execute(context, createEntity, { type: 'note', ...entity })

const titles = async (context: Context, query: string, options: object = {}) => {
  const { results } = await execute(context, searchByText, { query, ...options })
  return results.map(({ title }) => title)
}

describe('what is found [search-found]', () => {
  it.each([
    ['a word of the title', 'postgresql'],
    ['a word of the text', 'replication'],
    ['a tag', 'infrastructure'],
    ['a property', 'compliance'],
    ['the beginning of a word', 'postg'],
    ['another form of a word', 'replicated'],
    ['without the diacritics', 'creme'],
    ['with diacritics that are not there', 'réplication'],
    ['a phrase', '"streaming replication"'],
    ['a name in camel case by a part', 'pool'],
    ['a name in camel case as a whole', 'connectionpoolsize'],
    ['a name in another case', 'connection_pool_size'],
    ['a name in snake case by its words', 'max retries'],
    ['a name in snake case in camel case', 'maxRetries'],
    ['a file name', 'store/sql.ts'],
    ['a name with signs', 'C++'],
    ['a word without blanks around it', '据库'],
  ])('%s', async (_, query) => {
    await using project = await projectWith(
      {
        type: 'decision',
        title: 'Use PostgreSQL',
        content:
          'Streaming replication, connectionPoolSize and max_retries live in src/store/sql.ts; C++ calls it. Crème. 数据库',
        tags: ['infrastructure'],
        properties: { context: 'Compliance asks for it' },
      },
      { title: 'Unrelated', content: 'Nothing in here' },
    )
    expect(await titles(project.context, query)).toEqual(['Use PostgreSQL'])
  })

  it.each([
    ['words that stand apart', '"replication streaming"'],
    ['a word that is nowhere and like no other', 'kubernetes'],
    ['the letter of a name with signs', '"c"'],
  ])('not %s', async (_, query) => {
    await using project = await projectWith({ title: 'Streaming replication', content: 'C++' })
    expect(await titles(project.context, query)).toEqual([])
  })

  it('shows where it matches, who wrote it and how it was searched', async () => {
    await using project = await projectWith({
      type: 'decision',
      title: 'Sessions',
      content: 'We keep every session in Redis.',
    })
    const found = await execute(project.context, searchByText, { query: 'redis' })
    expect(found).toEqual({
      mode: 'fulltext',
      total: 1,
      results: [
        {
          kind: 'entity',
          id: expect.any(String),
          number: 1,
          type: 'decision',
          status: 'proposed',
          title: 'Sessions',
          snippet: 'We keep every session in <mark>Redis</mark>.',
          score: expect.any(Number),
          updated_at: '2026-11-15T12:00:00.000Z',
          created_by: 'tester',
          trust: { via: 'api', agent: expect.any(String) },
        },
      ],
    })
  })

  it('an answer follows a change at once, and a change that failed leaves no trace', async () => {
    await using project = await projectWith({ title: 'Alpha', content: 'first' })
    const { context } = project
    await execute(context, updateEntity, { id: '1', title: 'Beta', add_tags: ['greek'] })
    expect(await titles(context, 'alpha')).toEqual([])
    expect(await titles(context, 'beta')).toEqual(['Beta'])
    expect(await titles(context, 'greek')).toEqual(['Beta'])
    const refused = execute(context, createEntity, {
      type: 'note',
      title: 'Gamma',
      relations: ['references:99'],
    })
    await expect(refused).rejects.toMatchObject({ code: 'not_found' })
    expect(await titles(context, 'gamma')).toEqual([])
    await execute(context, deleteEntity, { id: '1' })
    expect(await titles(context, 'beta')).toEqual([])
  })

  it('other things than entities are found in the same list', async () => {
    await using project = await projectWith({ title: 'Deploy key' })
    const { context } = project
    await context.store.write((tx) =>
      tx.search.put({
        kind: 'message',
        ref: 'm1',
        type: 'message',
        status: null,
        title: 'About the deploy',
        body: 'It is broken',
        tags: [],
        author: 'ann',
        createdAt: context.now(),
        updatedAt: context.now(),
      }),
    )
    expect(await titles(context, 'deploy')).toHaveLength(2)
    expect(await titles(context, 'deploy', { kinds: ['message'] })).toEqual(['About the deploy'])
    expect(await titles(context, 'deploy', { type: 'note' })).toEqual(['Deploy key'])
  })
})

describe('the order', () => {
  it('is one order over all types: the best match first, whatever it is [search-order-over]', async () => {
    await using project = await projectWith(
      { type: 'decision', title: 'Naming', content: `A long text. ${'word '.repeat(50)} caching` },
      { type: 'link', title: 'Caching', properties: { url: 'https://example.org' } },
      { type: 'note', title: 'Caching of caching' },
    )
    expect(await titles(project.context, 'caching')).toEqual([
      'Caching of caching',
      'Caching',
      'Naming',
    ])
  })

  it('documents with all the words come before those with some', async () => {
    await using project = await projectWith(
      { title: 'redis redis redis' },
      { title: 'Other', content: 'the redis session, far down' },
      { title: 'session session' },
    )
    expect((await titles(project.context, 'redis session'))[0]).toBe('Other')
    expect(await titles(project.context, 'redis session')).toHaveLength(3)
  })

  it('the word itself comes before longer ones', async () => {
    await using project = await projectWith(
      { title: 'Authentication' },
      { title: 'auth' },
      { title: 'Authority' },
    )
    expect((await titles(project.context, 'auth'))[0]).toBe('auth')
    expect(await titles(project.context, 'auth')).toHaveLength(3)
  })

  it('what is in force comes before what was replaced, and the newer before the older', async () => {
    await using project = await projectWith(
      { type: 'decision', title: 'Use queues', properties: { status: 'superseded' } },
      { type: 'decision', title: 'Use queues', content: 'old' },
    )
    project.tick(365 * 86_400_000)
    await add(project.context, { type: 'decision', title: 'Use queues', content: 'new' })
    const { results } = await execute(project.context, searchByText, { query: 'queues' })
    expect(results.map(({ number }) => number)).toEqual([3, 2, 1])
  })

  it('an old title is not lost among many newer mentions', async () => {
    await using project = await projectWith({ title: 'Zookeeper' })
    for (let at = 0; at < 600; at += 1) {
      await add(project.context, { title: `Day ${at}`, content: 'zookeeper was up' })
    }
    const found = await execute(project.context, searchByText, { query: 'zookeeper', limit: 5 })
    expect(found.results[0]).toMatchObject({ title: 'Zookeeper' })
    expect(found).toMatchObject({ total_is_minimum: true })
  })

  it('a rare word is not lost among many mentions of a common one', async () => {
    const content = 'double entry keeps both sides of a payment in one place '.repeat(20)
    await using project = await projectWith({ title: 'Ledger', content })
    for (let at = 0; at < 600; at += 1) {
      await add(project.context, { title: `Service ${at}` })
    }
    expect((await titles(project.context, 'service ledger nowhere'))[0]).toBe('Ledger')
  })
})

describe('typing errors', () => {
  it.each([
    ['postgers', 'postgres'],
    ['authetication', 'authentication'],
    ['ngnix', 'nginx'],
  ])('%s is read as %s, and the answer says so [search-read-answer]', async (typed, meant) => {
    await using project = await projectWith({ title: `About ${meant}` }, { title: 'Other things' })
    const found = await execute(project.context, searchByText, { query: typed })
    expect(found).toMatchObject({
      mode: 'fuzzy',
      corrected: { [typed]: [meant] },
      results: [{ title: `About ${meant}` }],
    })
  })

  it('words that are found are left alone', async () => {
    await using project = await projectWith({ title: 'redis session' }, { title: 'radis' })
    expect(await execute(project.context, searchByText, { query: 'redis' })).toMatchObject({
      mode: 'fulltext',
      results: [{ title: 'redis session' }],
    })
  })
})

describe('filters in the query', () => {
  const given = [
    { type: 'decision', title: 'Use SQLite', tags: ['db'], properties: { status: 'accepted' } },
    { type: 'decision', title: 'Use Redis', tags: ['DB', 'cache'] },
    { type: 'task', title: 'Add SQLite', tags: ['db'], properties: { status: 'in_progress' } },
  ]
  const ask = async (query: string) => {
    await using project = await projectWith(...given)
    project.tick(86_400_000)
    await add(project.context, { title: 'SQLite a day later' })
    const { results, mode } = await execute(project.context, searchByQuery, { query })
    return { mode, titles: results.map(({ title }) => title).toSorted() }
  }

  it.each([
    ['sqlite type:decisions', ['Use SQLite']],
    ['sqlite tag:db', ['Add SQLite', 'Use SQLite']],
    ['sqlite status:in-progress', ['Add SQLite']],
    ['status:in-progress status:accepted', ['Add SQLite', 'Use SQLite']],
    ['sqlite created:>2026-11-16', ['SQLite a day later']],
    ['sqlite created:<2026-11-15 type:task', ['Add SQLite']],
    ['sqlite tag:db tag:cache', []],
  ])('%s', async (query, expected) => {
    expect((await ask(query)).titles).toEqual(expected)
  })

  it.each([
    ['type:decision', ['Use Redis', 'Use SQLite']],
    ['tag:db tag:cache', ['Use Redis']],
    ['created:>2026-11-16', ['SQLite a day later']],
    ['', ['Add SQLite', 'SQLite a day later', 'Use Redis', 'Use SQLite']],
  ])('%j alone lists what fits', async (query, expected) => {
    expect(await ask(query)).toEqual({ mode: 'filter', titles: expected })
  })

  it('a type that does not exist is named, with those that do', async () => {
    await expect(ask('type:epic')).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'query.type', valid: expect.arrayContaining(['decision']) },
    })
  })
})

describe('pages', () => {
  it.each(['page', ''])('following the cursor of %j shows everything once', async (query) => {
    await using project = await setup()
    for (let at = 0; at < 25; at += 1) await add(project.context, { title: `Page ${at}` })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page: {
        results: { title: string }[]
        total: number
        next_cursor?: string | undefined
      } = await execute(project.context, searchByQuery, {
        query,
        limit: 10,
        ...(cursor !== undefined && { cursor }),
      })
      expect(page.total).toBe(25)
      seen.push(...page.results.map(({ title }) => title))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(seen).toHaveLength(25)
    expect(new Set(seen).size).toBe(25)
  })

  it('an answer stays under 10 kB, twice told as MCP does, however long the texts are [search-answer-stays]', async () => {
    await using project = await setup()
    for (let at = 0; at < 20; at += 1) {
      await add(project.context, {
        title: `needle ${'"\\🧭'.repeat(160)}`,
        content: '界'.repeat(999),
      })
    }
    const page = await execute(project.context, searchByText, { query: 'needle' })
    const text = JSON.stringify(page)
    expect(Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))).toBeLessThan(10_000)
    expect(page.results.length).toBeGreaterThan(0)
    expect(page.next_cursor).toBe(String(page.results.length))
  })

  it.each(['x', '-1', '1.5', '1e3'])('%j is no cursor', async (cursor) => {
    await using project = await setup()
    await expect(
      execute(project.context, searchByText, { query: 'x', cursor }),
    ).rejects.toMatchObject({ code: 'invalid_input', details: { field: 'cursor' } })
  })
})

describe('text that looks like something else', () => {
  it.each([
    'AND',
    'NOT',
    'a AND',
    'NEAR(a b, 2)',
    '"unclosed',
    'title:x',
    '{title}: x',
    '-foo',
    'foo*',
    '^foo',
    "'; DROP TABLE document; --",
    '%_%',
    '( ) ( )',
    'a"b"c',
    '+++',
    '\u202e\u0007\u200b',
    '🧭',
    '../../etc/passwd',
    'x'.repeat(10_000),
    'lorem ipsum '.repeat(800),
  ])('%j is only text [search-only-text]', async (query) => {
    await using project = await projectWith({ title: 'foo bar' })
    const { mode } = await execute(project.context, searchByText, { query })
    expect(['fulltext', 'fuzzy']).toContain(mode)
    expect(await titles(project.context, 'foo')).toEqual(['foo bar'])
  })

  it.each([{}, { query: '' }, { query: '  ' }, { query: 5 }, { query: 'x'.repeat(10_001) }])(
    '%o is refused',
    async (input) => {
      await using project = await setup()
      await expect(execute(project.context, searchByText, input)).rejects.toMatchObject({
        code: 'invalid_input',
        details: { field: 'query' },
      })
    },
  )
})

describe('questions', () => {
  const given = [
    { title: 'Coupons cannot be combined', content: 'At most one code for each order.' },
    { title: 'Sessions live in Redis', content: 'Logins expire after two weeks.' },
    { title: 'Most traffic comes in the morning', content: 'The caches are warm by then.' },
    { type: 'decision', title: 'Get prices from the ledger', content: 'Ever since the audit.' },
  ]

  it.each([
    [
      'function words do not count',
      'did we ever get most of it out of Redis?',
      'Sessions live in Redis',
    ],
    ['another word for the same', 'can I use several vouchers?', 'Coupons cannot be combined'],
    [
      'an irregular form',
      'when did the peak of visits begin?',
      'Most traffic comes in the morning',
    ],
    ['a quotation that is nowhere', '"coupons are combined" error', 'Coupons cannot be combined'],
    ['in German', 'was ist mit den Redis und dem was es ist', 'Sessions live in Redis'],
  ])('%s [search-question]', async (_, query, expected) => {
    await using project = await projectWith(...given)
    expect((await titles(project.context, query))[0]).toBe(expected)
  })

  it('the title of what a text is linked to helps to find it [search-linked-title]', async () => {
    await using project = await projectWith(
      { title: 'Payment provider', content: 'Stripe' },
      { title: 'Keep the keys', content: 'for a day' },
      { title: 'Keep the keys', content: 'for a day' },
    )
    await execute(project.context, createRelation, {
      source: '2',
      target: '1',
      type: 'references',
    })
    const { results } = await execute(project.context, searchByText, { query: 'keys for payment' })
    expect(results.map(({ number }) => number)).toEqual([1, 2, 3])
  })
})

describe('while a query is being typed', () => {
  it.each([
    ['p', ['Postgres replicas']],
    ['replicatio', ['Backups']],
    ['postgres repl', ['Postgres replicas']],
    ['postgres x', []],
  ])('%s [search-as-you-type]', async (query, expected) => {
    await using project = await projectWith(
      { title: 'Backups', content: 'replication is no backup' },
      { title: 'Postgres replicas' },
    )
    expect(await titles(project.context, query, { as_you_type: true })).toEqual(expected)
  })
})
