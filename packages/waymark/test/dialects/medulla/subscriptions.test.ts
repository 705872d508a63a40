import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { purgeEntity } from '../../../src/sync/history/operations.ts'
import { setup } from '../../setup.ts'
import { connectMedulla, type Fields, type MedullaClient } from './client.ts'

const watch = (medulla: MedullaClient, uri: string) =>
  medulla.request('resources/subscribe', { uri })

/** The addresses that the client was told of so far. */
function told(medulla: MedullaClient): string[] {
  return (medulla.client.received as unknown as { method?: string; params?: { uri?: string } }[])
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => params?.uri ?? '')
}

/** A change that is told last: once it has arrived, everything before it has. */
async function settle(medulla: MedullaClient): Promise<string[]> {
  await watch(medulla, 'medulla://entities/link')
  const before = told(medulla).length
  await medulla.call('entity_create', {
    type: 'link',
    title: 'marker',
    properties: { url: 'https://example.org' },
  })
  await expect
    .poll(() => told(medulla).slice(before).includes('medulla://entities/link'))
    .toBe(true)
  return told(medulla).filter((uri) => uri !== 'medulla://entities/link')
}

const task = { type: 'task', title: 'T', properties: { due_date: '2026-12-01' } }

describe('a subscription', () => {
  it.each([
    'medulla://entities',
    'medulla://entities/task',
    'medulla://entities/tasks',
    'medulla://entities/task?limit=5',
    'medulla://tasks',
    'medulla://tasks/active',
    'medulla://tasks/ready',
    'medulla://tasks/blocked',
    'medulla://tasks/due/2026-12-01',
    'medulla://graph',
    'medulla://stats',
    'medulla://context/tea',
  ])('to %s is told of a new task [subscriptions-told-new]', async (uri) => {
    await using medulla = await connectMedulla()
    expect(await watch(medulla, uri)).toMatchObject({ result: {} })
    await medulla.call('entity_create', task)
    expect(await settle(medulla)).toContain(uri)
  })

  it.each([
    ['decisions', { type: 'decision', title: 'D' }],
    ['decisions/active', { type: 'decision', title: 'D' }],
    ['prompts', { type: 'prompt', title: 'P' }],
  ])('to medulla://%s is told of its own', async (path, entity) => {
    await using medulla = await connectMedulla()
    await watch(medulla, `medulla://${path}`)
    await medulla.call('entity_create', entity)
    expect(await settle(medulla)).toContain(`medulla://${path}`)
  })

  it.each([
    ['medulla://entities/note', 'medulla://decisions', 'medulla://prompts', 'medulla://schema'],
  ])('to another type is not', async (...uris) => {
    await using medulla = await connectMedulla()
    for (const uri of uris) await watch(medulla, uri)
    await medulla.call('entity_create', task)
    expect(await settle(medulla)).toEqual([])
  })

  it('is told of updates and of deletions [subscriptions-told-updates]', async () => {
    await using medulla = await connectMedulla()
    await medulla.call('entity_create', task)
    await watch(medulla, 'medulla://entities/task')
    await medulla.call('entity_update', { id: '1', title: 'T2' })
    expect((await settle(medulla)).length).toBe(1)
    await medulla.call('task_complete', { id: '1' })
    expect((await settle(medulla)).length).toBe(2)
    await medulla.call('entity_delete', { id: '1' })
    expect((await settle(medulla)).length).toBe(3)
  })

  it('is told of a purge, and so is whoever knows the prompts [subscriptions-told-purge]', async () => {
    await using medulla = await connectMedulla()
    await medulla.call('entity_create', task)
    await medulla.call('entity_create', { type: 'prompt', title: 'P' })
    const uris = ['medulla://entities/task', 'medulla://entity/1', 'medulla://prompts']
    for (const uri of uris) await watch(medulla, uri)
    await settle(medulla)
    const before = medulla.client.received.length
    for (const id of ['1', '2']) {
      await execute(medulla.project.context, purgeEntity, { id, confirm: true })
    }
    await settle(medulla)
    const since = JSON.stringify(medulla.client.received.slice(before))
    for (const word of [...uris, 'notifications/prompts/list_changed']) {
      expect(since).toContain(`"${word}"`)
    }
  })

  it('to one entity is told of that one only, by whatever name it was asked for', async () => {
    await using medulla = await connectMedulla()
    const { id } = await medulla.call('entity_create', task)
    await medulla.call('entity_create', task)
    const prefix = String(id).slice(0, 13)
    const uris = ['1', '001', prefix, String(id)].map((name) => `medulla://entity/${name}`)
    for (const uri of uris) await watch(medulla, uri)
    await medulla.call('entity_update', { id: '2', title: 'other' })
    expect(await settle(medulla)).toEqual([])
    await medulla.call('entity_update', { id: '1', title: 'mine' })
    expect((await settle(medulla)).toSorted()).toEqual(uris.toSorted())
  })

  it('a relation changes the graph, and what is ready', async () => {
    await using medulla = await connectMedulla()
    await medulla.call('entity_create', task)
    await medulla.call('entity_create', task)
    for (const path of ['graph', 'tasks/ready', 'tasks', 'stats']) {
      await watch(medulla, `medulla://${path}`)
    }
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '2',
      relation_type: 'blocks',
    })
    expect(new Set(await settle(medulla))).toEqual(
      new Set(['medulla://graph', 'medulla://stats', 'medulla://tasks/ready']),
    )
  })

  it('ends when it is ended [subscriptions-ends-ended]', async () => {
    await using medulla = await connectMedulla()
    await watch(medulla, 'medulla://tasks')
    await medulla.request('resources/unsubscribe', { uri: 'medulla://tasks' })
    await medulla.call('entity_create', task)
    expect(await settle(medulla)).toEqual([])
    expect(
      await medulla.request('resources/unsubscribe', { uri: 'medulla://tasks' }),
    ).toMatchObject({ result: {} })
  })

  it.each([
    ['medulla://nothing', -32005],
    ['medulla://entity/99', -32005],
    ['medulla://entities/epic', -32006],
    ['http://example.org', -32006],
  ])('to %s is refused and not made [subscriptions-refused-made]', async (uri, code) => {
    await using medulla = await connectMedulla()
    expect(await watch(medulla, uri)).toMatchObject({ error: { code } })
    await medulla.call('entity_create', task)
    expect(await settle(medulla)).toEqual([])
  })

  it('each client hears of what it asked for, and none after it has gone [subscriptions-each-client]', async () => {
    await using project = await setup()
    await using ann = await connectMedulla({ project })
    await using bob = await connectMedulla({ project })
    await watch(ann, 'medulla://entities/task')
    await watch(bob, 'medulla://entities/note')
    bob.client.close()
    await ann.call('entity_create', task)
    await ann.call('entity_create', { type: 'note', title: 'N' })
    expect(await settle(ann)).toEqual(['medulla://entities/task'])
    expect(told(bob)).toEqual([])
  })

  it('what was written by somebody else is told too', async () => {
    await using project = await setup()
    await using medulla = await connectMedulla({ project })
    await watch(medulla, 'medulla://entities/task')
    await execute(project.as('other'), createEntity, { type: 'task', title: 'From elsewhere' })
    await expect.poll(() => told(medulla)).toEqual(['medulla://entities/task'])
  })
})

describe('the modern era', () => {
  it('a listen stream is told of the resources it names, and of prompts', async () => {
    await using medulla = await connectMedulla()
    medulla.client.send({
      jsonrpc: '2.0',
      id: 'listen',
      method: 'subscriptions/listen',
      params: {
        notifications: {
          resourceSubscriptions: ['medulla://tasks', 'medulla://nothing'],
          promptsListChanged: true,
        },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    })
    const received = () =>
      medulla.client.received as unknown as { method?: string; params: Fields }[]
    await expect
      .poll(() => received().find(({ method }) => method?.endsWith('acknowledged'))?.params)
      .toMatchObject({
        notifications: { resourceSubscriptions: ['medulla://tasks'], promptsListChanged: true },
      })
    await medulla.call('entity_create', task)
    await medulla.call('entity_create', { type: 'prompt', title: 'P' })
    await expect
      .poll(() => received().map(({ method }) => method))
      .toEqual(
        expect.arrayContaining([
          'notifications/resources/updated',
          'notifications/prompts/list_changed',
        ]),
      )
  })
})
