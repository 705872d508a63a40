import { expect, it } from 'vitest'
import type { Fields } from '../client.ts'
import { join, lodestarWith } from './crew.ts'

const MINUTE = 60_000
const TASKS = [
  { key: 'T001', title: 'First' },
  { key: 'T002', title: 'Second' },
]

it('agent.heartbeat says which tasks the agent still holds [events-agent-heartbeat]', async () => {
  await using lodestar = await lodestarWith(TASKS)
  const agentId = await join(lodestar, 'ann')
  await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId, ttlSeconds: 60 })
  const held = async () =>
    (await lodestar.call('lodestar.agent.heartbeat', { agentId }))['heldTaskIds']
  expect(await held()).toEqual(['T001'])
  lodestar.project.tick(MINUTE)
  expect(await held()).toEqual([])
})

it('events name an agent by its id or not at all, and say whether any were dropped [events-name-agent]', async () => {
  await using lodestar = await lodestarWith(TASKS)
  const agentId = await join(lodestar, 'ann')
  await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
  const pulled = await lodestar.call('lodestar.events.pull', {
    filterTypes: ['entity.created', 'task.claimed'],
  })
  const events = pulled['events'] as Fields[]
  expect(events.map(({ type, actorAgentId }) => [type, actorAgentId])).toEqual([
    ['entity.created', undefined],
    ['entity.created', undefined],
    ['task.claimed', agentId],
  ])
  expect(pulled).toMatchObject({ missed: false })
  const { context } = lodestar.project
  const at = context.now() + 365 * 24 * 60 * MINUTE
  await context.store.write(async (tx) => {
    for (let id = 0; id < 1000; id += 1) {
      await tx.events.append({ type: 'test.made', subject: 's', at, agent: null, data: {} })
    }
  })
  expect(await lodestar.call('lodestar.events.pull', { limit: 1 })).toMatchObject({
    missed: true,
  })
})
