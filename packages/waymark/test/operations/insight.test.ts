import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { showInsight } from '../../src/insight/operations.ts'
import { answerQuestion } from '../../src/message/answer.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { completeTask, verifyTask } from '../../src/task/state/operations.ts'
import { setup } from '../setup.ts'

const HOUR = 3_600_000

it('each figure about the flow of work comes with the rows that it is made of [insight-show]', async () => {
  await using project = await setup()
  const ada = project.as('ada')
  const kim = project.as('Kim', { agent: { name: 'Kim', surface: 'page' } })
  await execute(ada, createTask, { title: 'Schema', needs_verification: true })
  await execute(ada, createTask, { title: 'Login', depends_on: ['1'] })
  await execute(ada, createTask, { title: 'Form', depends_on: ['1'] })
  await execute(ada, sendMessage, { body: 'Which format?', to: 'owner', task: '1' })
  project.tick(2 * HOUR)
  await execute(kim, answerQuestion, { question: 'm1', body: 'JSON' })
  const before = await execute(ada, showInsight, {})
  expect(before.unblocks_most).toEqual([{ number: 1, title: 'Schema', value: 2 }])
  expect(before.waiting_longest.map(({ number, value }) => [number, value])).toEqual([
    [2, 2 * HOUR],
    [3, 2 * HOUR],
  ])
  await execute(ada, completeTask, { id: '1' })
  project.tick(HOUR)
  await execute(kim, verifyTask, { id: '1' })
  project.tick(HOUR)
  const after = await execute(ada, showInsight, {})
  expect(after.lead_time).toEqual({
    count: 1,
    median: 2 * HOUR,
    total: 2 * HOUR,
    rows: [{ number: 1, title: 'Schema', value: 2 * HOUR }],
  })
  expect(after.verification).toMatchObject({ count: 1, total: HOUR })
  expect(after.questions).toMatchObject({ count: 1, total: 2 * HOUR })
  expect(after.waited_for_people).toBe(3 * HOUR)
  expect(after.done_by_day.map(([, count]) => count)).toEqual([1])
  expect(after.unblocks_most).toEqual([])
})
