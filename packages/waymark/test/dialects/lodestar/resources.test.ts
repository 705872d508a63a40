import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { execute } from '../../../src/core/execute.ts'
import { createEntity, deleteEntity, updateEntity } from '../../../src/entity/operations.ts'
import { createRelation } from '../../../src/relation/operations.ts'
import type { Fields } from '../client.ts'
import { join, lodestarWith } from './crew.ts'

const TASKS = [
  { key: 'T001', title: 'First', content: 'Do it', labels: ['api', 'feature:F1'] },
  { key: 'T002', title: 'Second', depends_on: ['T001'] },
]

async function read(lodestar: Awaited<ReturnType<typeof lodestarWith>>, uri: string) {
  const { result, error } = await lodestar.request('resources/read', { uri })
  if (result === undefined) return { error }
  const [content] = result['contents'] as { mimeType: string; text: string }[]
  return { content }
}

describe('resources', () => {
  it('spec, task and status are listed and can be read [resources-spec-task]', async () => {
    await using lodestar = await lodestarWith(TASKS)
    const { result } = await lodestar.request('resources/list')
    const uris = ((result?.['resources'] ?? []) as { uri: string }[]).map(({ uri }) => uri)
    expect(uris).toEqual(['lodestar://spec', 'lodestar://status'])
    const templates = await lodestar.request('resources/templates/list')
    expect(templates.result).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'lodestar://task/{taskId}' }],
    })
    const spec = await read(lodestar, 'lodestar://spec')
    expect(spec.content?.mimeType).toBe('text/yaml')
    expect(spec.content?.text).toContain('T002:\n    title: Second\n    depends_on:\n      - T001')
    const task = await read(lodestar, 'lodestar://task/T001')
    expect(task.content?.mimeType).toBe('application/json')
    expect(JSON.parse(task.content?.text ?? '')).toMatchObject({ task: { id: 'T001' } })
    const status = await read(lodestar, 'lodestar://status')
    expect(JSON.parse(status.content?.text ?? '')).toMatchObject({
      counts: { tasks: { ready: 2 } },
    })
    expect((await read(lodestar, 'lodestar://task/T9')).error).toBeDefined()
  })

  it('every task in the spec goes by a name that the tools understand and use [resources-every-task]', async () => {
    await using lodestar = await lodestarWith([{ key: 'T002', title: 'First' }])
    const { project } = lodestar
    const second = { type: 'task', title: 'Second', relations: ['blocks:1'], tags: ['feature:F1'] }
    await execute(project.context, createEntity, second)
    await execute(project.context, createEntity, { type: 'task', title: 'Third' })
    const { content } = await read(lodestar, 'lodestar://spec')
    const { tasks, features } = parse(content?.text ?? '') as Record<string, Fields>
    const answers = await Promise.all(
      Object.keys(tasks ?? {}).map((taskId) => lodestar.call('lodestar.task.get', { taskId })),
    )
    const got = answers.map(({ task }) => task as Fields)
    expect(got.map(({ id }) => id)).toEqual(Object.keys(tasks ?? {}))
    const { tasks: listing } = await lodestar.call('lodestar.task.list')
    const listed = (listing as Fields[]).map(({ id }) => id)
    expect(new Set(Object.keys(tasks ?? {}))).toEqual(new Set(listed))
    const blocker = got.find(({ title }) => title === 'Second')?.['id']
    expect(tasks).toMatchObject({ T002: { title: 'First', depends_on: [blocker] } })
    expect(features).toEqual({ F1: [blocker] })
  })

  it('a subscriber hears of its task, and of nothing that happens to others [resources-subscriber-hears]', async () => {
    const others = [
      { key: 'T003', title: 'Third' },
      { key: 'T004', title: 'Fourth' },
    ]
    await using lodestar = await lodestarWith([...TASKS, ...others])
    const { context } = lodestar.project
    const agentId = await join(lodestar, 'ann')
    await lodestar.request('logging/setLevel', { level: 'info' })
    await lodestar.request('resources/subscribe', { uri: 'lodestar://task/T001' })
    const untilTold = (event: string) =>
      lodestar.client.next((message) => JSON.stringify(message).includes(`"type":"${event}"`))
    const updates = () =>
      (lodestar.client.received as Fields[])
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params }) => (params as Fields)['uri'])
    await lodestar.call('lodestar.task.claim', { taskId: 'T003', agentId })
    await lodestar.call('lodestar.task.release', { taskId: 'T003', agentId })
    await untilTold('task.released')
    await execute(context, updateEntity, { id: '3', title: 'Other' })
    await untilTold('entity.updated')
    await execute(context, createRelation, { source: '3', type: 'blocks', target: '4' })
    await lodestar.call('lodestar.task.done', { taskId: 'T003', agentId })
    await lodestar.call('lodestar.task.verify', { taskId: 'T003', agentId })
    await untilTold('task.verified')
    await execute(context, deleteEntity, { id: '4' })
    await untilTold('entity.deleted')
    expect(updates()).toEqual([])
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    await lodestar.client.next(
      (message) => (message as Fields)['method'] === 'notifications/resources/updated',
    )
    expect(updates()).toEqual(['lodestar://task/T001'])
  })

  it('a subscriber may name the task in every way in which it can be read [resources-subscriber-name]', async () => {
    await using lodestar = await lodestarWith(TASKS)
    const agentId = await join(lodestar, 'ann')
    const { id } = (await lodestar.project.context.store.tasks.byKey('T001'))[0] ?? { id: '' }
    const names = ['T001', '1', '001', '%231', id, id.slice(0, 8), id.slice(0, 8).toUpperCase()]
    const uris = names.map((name) => `lodestar://task/${name}`)
    for (const uri of uris) {
      expect(await read(lodestar, uri)).toHaveProperty('content')
      await lodestar.request('resources/subscribe', { uri })
    }
    await lodestar.request('resources/subscribe', { uri: 'lodestar://task/T002' })
    await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
    for (const uri of uris) {
      await lodestar.client.next((message) => {
        const { method, params } = message as { method?: string; params?: Fields }
        return method === 'notifications/resources/updated' && params?.['uri'] === uri
      })
    }
    expect(JSON.stringify(lodestar.client.received)).not.toContain('lodestar://task/T002')
  })
})

it('every event is told in a log message to a client that wants them [resources-every-event]', async () => {
  await using lodestar = await lodestarWith(TASKS)
  await lodestar.request('logging/setLevel', { level: 'info' })
  const agentId = await join(lodestar, 'ann')
  await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
  const told = await lodestar.client.next((message) =>
    JSON.stringify(message).includes('"type":"task.claimed"'),
  )
  expect(told).toMatchObject({
    method: 'notifications/message',
    params: { logger: 'lodestar.events', data: { taskId: 'T001', actorAgentId: agentId } },
  })
})

describe('prompts', () => {
  it('explain how to work together and how to do one task [resources-explain-how]', async () => {
    await using lodestar = await lodestarWith([])
    const { result } = await lodestar.request('prompts/list')
    expect(result?.['prompts']).toMatchObject([
      { name: 'lodestar_agent_workflow', arguments: [] },
      { name: 'lodestar_task_execute', arguments: [{ name: 'taskId', required: true }] },
    ])
    const text = async (name: string, args: Fields = {}) => {
      const prompt = await lodestar.request('prompts/get', { name, arguments: args })
      const [message] = (prompt.result?.['messages'] ?? []) as { content: { text: string } }[]
      return message?.content.text ?? prompt.error
    }
    const workflow = await text('lodestar_agent_workflow')
    for (const step of [
      'agent.join',
      'task.next',
      'task.claim',
      'task.context',
      'task.done',
      'task.verify',
      'message.send',
    ]) {
      expect(workflow).toContain(`lodestar.${step}`)
    }
    expect(await text('lodestar_task_execute', { taskId: 'T001' })).toContain('"T001"')
    expect(await text('lodestar_task_execute')).toMatchObject({ code: -32602 })
    expect(await text('other')).toMatchObject({ code: -32602 })
  })
})
