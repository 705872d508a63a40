import { expect, it } from 'vitest'
import { connectMedulla } from './client.ts'

const prompt = {
  type: 'prompt',
  title: 'Explain a module',
  content: 'For newcomers',
  properties: { template: 'Explain {{module}} to {{reader}}', variables: ['module', 'reader'] },
}

it('a prompt entity is a prompt, its variables are its arguments [prompts-prompt-entity]', async () => {
  await using medulla = await connectMedulla()
  await medulla.call('entity_create', prompt)
  expect((await medulla.list('prompts/list', 'prompts')).at(-1)).toEqual({
    name: 'explain-a-module',
    title: 'Explain a module',
    description: 'For newcomers',
    arguments: [
      { name: 'module', required: true },
      { name: 'reader', required: true },
    ],
  })
  expect(
    (
      await medulla.request('prompts/get', {
        name: 'explain-a-module',
        arguments: { module: 'the store', reader: 'me' },
      })
    ).result,
  ).toEqual({
    description: 'For newcomers',
    messages: [{ role: 'user', content: { type: 'text', text: 'Explain the store to me' } }],
  })
})

it('the five built-in prompts are there and filled with live data [prompts-five-built]', async () => {
  await using medulla = await connectMedulla()
  const prompts = await medulla.list('prompts/list', 'prompts')
  expect(prompts.map(({ name }) => name)).toEqual([
    'project_summary',
    'decision_review',
    'task_breakdown',
    'onboard_contributor',
    'daily_standup',
  ])
  await medulla.call('entity_create', { type: 'decision', title: 'Use SQLite' })
  const filled = await medulla.request('prompts/get', { name: 'project_summary' })
  expect(JSON.stringify(filled.result)).toContain('Use SQLite')
})

it('clients are told when the list of prompts changes, and only then [prompts-clients-told]', async () => {
  await using medulla = await connectMedulla()
  const changes = () =>
    (medulla.client.received as unknown as { method?: string }[]).filter(
      ({ method }) => method === 'notifications/prompts/list_changed',
    ).length
  await medulla.call('entity_create', { type: 'note', title: 'N' })
  await medulla.call('entity_create', prompt)
  await expect.poll(changes).toBe(1)
  await medulla.call('entity_update', { id: '2', title: 'Renamed' })
  await expect.poll(changes).toBe(2)
  await medulla.call('entity_delete', { id: '2' })
  await expect.poll(changes).toBe(3)
})

it.each([
  [{ name: 'nothing' }, 'nothing'],
  [{ name: 'task_breakdown' }, 'id'],
  [{ name: 'task_breakdown', arguments: { id: '99' } }, '99'],
])('%j is refused as invalid params', async (params, named) => {
  await using medulla = await connectMedulla()
  const { error } = await medulla.request('prompts/get', params)
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(named) })
})
