import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { startEmbedding } from '../../src/search/semantic/background.ts'
import { createEndpointEmbedder } from '../../src/search/semantic/endpoint.ts'
import { SemanticIndex } from '../../src/search/semantic/semantic-index.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import { rebuildCache, showCache } from '../../src/project/cache.ts'
import { showStatus } from '../../src/project/status.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { searchByMeaning, searchByQuery } from '../../src/search/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { startEndpoint } from '../embedding/endpoint.ts'
import { gatherContext } from '../../src/search/context.ts'
import { setup } from '../setup.ts'

const add = (context: Context, title: string, type = 'note') =>
  execute(context, createEntity, { type, title })

const titlesOf = ({ results }: { results: readonly { title: string }[] }) =>
  results.map(({ title }) => title)

describe('without a model of one’s own', () => {
  it('finds what is spelt alike, and names the model as approximate', async () => {
    await using project = await setup()
    await add(project.context, 'Authenticating users')
    await add(project.context, 'Colour palette')
    const found = await execute(project.context, searchByMeaning, { query: 'user authentication' })
    expect(titlesOf(found)).toEqual(['Authenticating users'])
    expect(found).toMatchObject({
      mode: 'semantic',
      model: expect.stringContaining('approximate'),
      threshold: 0.15,
      total: 1,
    })
    expect(found).not.toHaveProperty('pending')
  })

  it('what only spelling finds is not said to be found by meaning [semantic-spelling-named]', async () => {
    await using project = await setup()
    await add(project.context, 'Authenticating users')
    const query = 'reauthentication'
    const { results } = await execute(project.context, searchByQuery, { query, semantic: true })
    expect(results).toMatchObject([{ title: 'Authenticating users', matched_by: 'spelling' }])
  })

  it('a topic is gathered by words alone [semantic-topic-words]', async () => {
    await using project = await setup()
    await add(project.context, 'Authenticating users')
    await add(project.context, 'Authors of the handbook')
    const found = await execute(project.context, gatherContext, { topic: 'authors' })
    expect(found).toMatchObject({
      mode: 'fulltext',
      entities: [{ title: 'Authors of the handbook' }],
    })
  })

  it('follows changes: only new texts are embedded, deleted ones are not found', async () => {
    await using project = await setup()
    const { context } = project
    await add(context, 'Kitchen paint')
    await add(context, 'Garden fence')
    const ask = async (query: string) =>
      titlesOf(await execute(context, searchByMeaning, { query, threshold: 0.3 }))
    expect(await ask('painting a kitchen')).toEqual(['Kitchen paint'])
    const before = await context.store.vectors.after(context.semantic.embedder.model, 0, 10)
    await execute(context, updateEntity, { id: '1', title: 'Bathroom tiles' })
    expect(await ask('bathroom tile')).toEqual(['Bathroom tiles'])
    expect(await ask('painting a kitchen')).toEqual([])
    const after = await context.store.vectors.after(context.semantic.embedder.model, 0, 10)
    expect(after).toHaveLength(2)
    expect(after.filter(({ id }) => before.some((row) => row.id === id))).toHaveLength(1)
    await execute(context, deleteEntity, { id: '2' })
    expect(await ask('garden fence')).toEqual([])
  })

  it('a claim changes no text: nothing is embedded again [claim-is-no-text]', async () => {
    await using project = await setup()
    const { context } = project
    const { model } = context.semantic.embedder
    await add(context, 'Kitchen paint', 'task')
    await execute(context, searchByMeaning, { query: 'kitchen' })
    const before = await context.store.vectors.after(model, 0, 10)
    await execute(project.as('bo'), claimTask, { id: '1' })
    expect(await context.store.vectors.pending(model)).toBe(0)
    expect(await context.store.vectors.after(model, 0, 10)).toEqual(before)
    const found = await execute(context, searchByQuery, { query: 'paint status:in_progress' })
    expect(titlesOf(found)).toEqual(['Kitchen paint'])
  })

  it('a filter, a limit and a cursor work as elsewhere', async () => {
    await using project = await setup()
    const { context } = project
    for (const at of [1, 2, 3]) await add(context, `Cache layer ${at}`, 'decision')
    await add(context, 'Cache layer 4', 'task')
    const first = await execute(context, searchByMeaning, {
      query: 'cache layer',
      type: 'decision',
      limit: 2,
    })
    expect(first.results).toHaveLength(2)
    expect(first.total).toBe(3)
    const rest = await execute(context, searchByMeaning, {
      query: 'cache layer',
      type: 'decision',
      limit: 2,
      cursor: first.next_cursor,
    })
    expect(rest.results).toHaveLength(1)
    expect(rest).not.toHaveProperty('next_cursor')
  })

  it('what was deleted takes no place: every page is full, and nothing comes twice', async () => {
    await using project = await setup()
    const { context } = project
    const texts = Array.from({ length: 30 }, (_, at) => `Cache layer ${at}`)
    for (const text of texts) await add(context, text)
    const ask = (cursor?: string) =>
      execute(context, searchByMeaning, {
        query: 'cache layer',
        threshold: 0.01,
        limit: 10,
        cursor,
      })
    const before = await ask()
    expect(before).toMatchObject({ total: 30, next_cursor: '10' })
    for (const { id } of before.results) await execute(context, deleteEntity, { id })
    const first = await ask()
    expect(first.total).toBe(20)
    const second = await ask(first.next_cursor)
    expect(second).not.toHaveProperty('next_cursor')
    const gone = titlesOf(before)
    expect([...titlesOf(first), ...titlesOf(second)].toSorted()).toEqual(
      texts.filter((text) => !gone.includes(text)).toSorted(),
    )
  })

  it('by words and meaning, a total that is not all of it says so', async () => {
    await using project = await setup()
    const { context } = project
    const titles = Array.from({ length: 250 }, (_, at) => `Cache layer ${at}`)
    await Promise.all(titles.map((title) => add(context, title)))
    const query = { query: 'cache layer', semantic: true, limit: 5 }
    expect(await execute(context, searchByQuery, query)).toMatchObject({
      mode: 'hybrid',
      total_is_minimum: true,
    })
    const meant = await execute(context, searchByMeaning, { query: 'cache layer', limit: 5 })
    expect(meant).toMatchObject({ mode: 'semantic', total: 250 })
    expect(meant).not.toHaveProperty('total_is_minimum')
  })

  it('read-only, new texts are embedded in memory and none are stored', async () => {
    await using project = await setup()
    await add(project.context, 'Something')
    const reader = project.as('reader', { access: { readOnly: true } })
    const found = await execute(reader, searchByMeaning, { query: 'something' })
    expect(titlesOf(found)).toEqual(['Something'])
    expect(found).not.toHaveProperty('pending')
    expect(await execute(reader, showCache, {})).toMatchObject({ vectors: 0, pending: 1 })
  })
})

describe('with a model behind an address', () => {
  async function projectWithModel() {
    const project = await setup()
    const endpoint = await startEndpoint()
    const semantic = new SemanticIndex(
      createEndpointEmbedder({ url: endpoint.url, model: 'synonyms' }),
    )
    const context = project.as('tester', { semantic })
    return {
      context,
      endpoint,
      [Symbol.asyncDispose]: async () => {
        await endpoint[Symbol.asyncDispose]()
        await project[Symbol.asyncDispose]()
      },
    }
  }

  it('finds by meaning what shares no word, and names the model', async () => {
    await using project = await projectWithModel()
    const { context } = project
    await add(context, 'Use PostgreSQL')
    await add(context, 'Password rules')
    await execute(context, rebuildCache, {})
    const found = await execute(context, searchByMeaning, { query: 'which database?' })
    expect(found).toMatchObject({ mode: 'semantic', model: 'synonyms', threshold: 0.3 })
    expect(titlesOf(found)).toEqual(['Use PostgreSQL'])
  })

  it('words and meaning together: what both find comes first', async () => {
    await using project = await projectWithModel()
    const { context } = project
    await add(context, 'Postgres backups')
    await add(context, 'Storage engine')
    await add(context, 'Backups of the wiki')
    await execute(context, rebuildCache, {})
    const found = await execute(context, searchByQuery, { query: 'postgres backups' })
    expect(found).toMatchObject({ mode: 'hybrid', model: 'synonyms' })
    expect(titlesOf(found)[0]).toBe('Postgres backups')
    expect(titlesOf(found).toSorted()).toEqual([
      'Backups of the wiki',
      'Postgres backups',
      'Storage engine',
    ])
    expect(
      await execute(context, searchByQuery, { query: 'postgres backups', semantic: false }),
    ).toMatchObject({ mode: 'fulltext' })
  })

  it('one that fails never fails a write, and a search goes on by words [semantic-search-fails-never]', async () => {
    await using project = await projectWithModel()
    const { context, endpoint } = project
    endpoint.breakWith(500)
    await add(context, 'Storage engine')
    const byWords = {
      mode: 'fulltext',
      results: [{ title: 'Storage engine' }],
      note: expect.stringContaining('did not answer'),
    }
    expect(await execute(context, searchByMeaning, { query: 'engine' })).toMatchObject(byWords)
    expect(await execute(context, searchByQuery, { query: 'engine' })).toMatchObject(byWords)
  })

  it('one that has seen nothing yet is not said to have judged [semantic-nothing-embedded]', async () => {
    await using project = await projectWithModel()
    const { context } = project
    await add(context, 'Storage engine')
    const found = await execute(context, searchByQuery, { query: 'engine' })
    expect(found).toMatchObject({
      mode: 'fulltext',
      pending: 1,
      note: expect.stringContaining('has seen none of 1 texts'),
      results: [{ title: 'Storage engine' }],
    })
    expect(found).not.toHaveProperty('model')
    expect((await execute(context, showStatus, {})).search).toEqual({
      model: 'synonyms',
      vectors: 0,
      pending: 1,
    })
  })

  it('a reranker has the last word on the best results, and failing it changes nothing [semantic-rerank]', async () => {
    await using project = await projectWithModel()
    const { context, endpoint } = project
    await add(context, 'Postgres backups')
    await add(context, 'Postgres backups of every night of the year')
    await execute(context, rebuildCache, {})
    const rerank = { url: endpoint.url, model: 'judge' }
    const embedder = createEndpointEmbedder({ url: endpoint.url, model: 'synonyms', rerank })
    const reranking = { ...context, semantic: new SemanticIndex(embedder) }
    const ask = async (from: Context) =>
      titlesOf(await execute(from, searchByQuery, { query: 'postgres backups' }))
    const plain = ['Postgres backups', 'Postgres backups of every night of the year']
    expect(await ask(context)).toEqual(plain)
    expect(await ask(reranking)).toEqual(plain.toReversed())
    expect(endpoint.requests.at(-1)).toMatchObject({ path: '/v1/rerank', model: 'judge' })
    const broken = { ...embedder, rerank: () => Promise.reject(new Error('no')) }
    expect(await ask({ ...context, semantic: new SemanticIndex(broken) })).toEqual(plain)
  })

  it('a text that it cannot take does not keep it from the others', async () => {
    await using project = await projectWithModel()
    const { context } = project
    const { embedder } = context.semantic
    const picky = new SemanticIndex({
      ...embedder,
      embed: async (texts, signal) => {
        if (texts.some((text) => text.includes('poison'))) throw new Error('no')
        return await embedder.embed(texts, signal)
      },
    })
    await add(context, 'Storage')
    await add(context, 'poison')
    await add(context, 'Login')
    expect(await picky.catchUp(context, 100)).toBe(0)
    expect(await context.store.vectors.count('synonyms')).toBe(2)
  })

  it('two models keep their own vectors side by side', async () => {
    await using project = await projectWithModel()
    const { context } = project
    await add(context, 'Storage')
    await execute(context, rebuildCache, {})
    const local = new SemanticIndex((await import('../../src/search/semantic/subword.ts')).SUBWORD)
    await local.catchUp(context, 10)
    expect(await execute(context, showCache, {})).toMatchObject({
      documents: 1,
      is_current: true,
      model: 'synonyms',
      vectors: 1,
      pending: 0,
    })
    expect(await context.store.vectors.count('local-subword-1')).toBe(1)
  })

  it('in the background: new texts are embedded soon after, whoever wrote them [semantic-search-background-new]', async () => {
    await using project = await projectWithModel()
    const { context, endpoint } = project
    await add(context, 'Storage before')
    await using _ = startEmbedding({
      store: context.store,
      semantic: context.semantic,
      logger: SILENT,
    })
    await add(context, 'Login after')
    await expect
      .poll(() => endpoint.requests.flatMap(({ input }) => input).toSorted())
      .toEqual(['Login after', 'Storage before'])
    await expect.poll(() => context.store.vectors.count('synonyms')).toBe(2)
  })

  it('in the background: a model that comes back is asked again', async () => {
    await using project = await projectWithModel()
    const { context, endpoint } = project
    endpoint.breakWith(503)
    await add(context, 'Storage')
    await using _ = startEmbedding({
      store: context.store,
      semantic: context.semantic,
      logger: SILENT,
    })
    await expect.poll(() => endpoint.requests.length).toBeGreaterThan(0)
    endpoint.mend()
    await expect.poll(() => context.store.vectors.count('synonyms')).toBe(1)
  })
})

it('an index that was lost is made anew', async () => {
  await using project = await setup()
  const { context } = project
  const { id } = await add(context, 'Lost and found')
  await context.store.write((tx) => tx.search.remove('entity', id))
  expect((await execute(context, searchByQuery, { query: 'lost' })).total).toBe(0)
  expect(await execute(context, rebuildCache, {})).toMatchObject({ documents: 1, pending: 0 })
  expect((await execute(context, searchByQuery, { query: 'lost' })).total).toBe(1)
})
