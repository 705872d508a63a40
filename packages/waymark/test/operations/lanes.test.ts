import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { listLanes } from '../../src/task/lane/operations.ts'
import { claimTask, releaseTask, renewTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { setup, START } from '../setup.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

it('a lease ends when it ran out, and who took the task up next is known months later [lane-spans]', async () => {
  await using project = await setup()
  const ada = project.as('ada')
  const bo = project.as('bo')
  await execute(ada, joinAgent, {})
  await execute(ada, createTask, { title: 'Login' })
  await execute(ada, claimTask, { id: '1', seconds: 600 })
  project.tick(5 * MINUTE)
  await execute(ada, renewTask, { id: '1', seconds: 600 })
  await execute(ada, sendMessage, { body: 'Half done', task: '1' })
  // No process runs for hours; the lease ran out fifteen minutes after it began.
  project.tick(5 * 60 * MINUTE)
  await execute(bo, claimTask, { id: '1' })
  project.tick(MINUTE)
  await execute(bo, releaseTask, { id: '1', reason: 'needs a key' })
  await execute(bo, claimTask, { id: '1' })
  project.tick(MINUTE)
  await execute(bo, completeTask, { id: '1' })
  const again = START + 305 * MINUTE
  const expected = [
    { task: 1, from: START, to: START + 15 * MINUTE, end: 'expired' },
    { from: again, to: again + MINUTE, end: 'released', reason: 'needs a key' },
    { from: again + MINUTE, to: again + 2 * MINUTE, end: 'done' },
  ]
  const lanes = await execute(ada, listLanes, {})
  expect(lanes.spans).toMatchObject(expected)
  expect(lanes.spans[0]?.renewals).toEqual([START + 5 * MINUTE])
  expect(lanes.handovers).toEqual([
    { task: 1, from: lanes.spans[0]?.agent_id, to: lanes.spans[1]?.agent_id, at: again },
  ])
  expect(lanes.messages).toMatchObject([{ agent_id: lanes.spans[0]?.agent_id, task: 1 }])
  expect(lanes.agents.map(({ name }) => name)).toEqual(['ada', 'bo'])

  project.tick(200 * DAY)
  const later = await execute(ada, listLanes, { from: new Date(START).toISOString() })
  expect(later.spans).toMatchObject(expected)
  const { spans } = await execute(ada, listLanes, {})
  expect(spans).toEqual([])
})
