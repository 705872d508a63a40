import * as z from 'zod'
import { requirePerson } from '../../../agent/acting-agent.ts'
import { change } from '../../../core/change.ts'
import { body } from '../../../core/input/schema.ts'
import { defineOperation } from '../../../core/operation.ts'
import { reference } from '../../../entity/reference.ts'
import { showTaskResult } from '../../show.ts'
import { leaseView, taskSummary, toLeaseView, toTaskSummary } from '../../view.ts'
import { findTask } from '../../find-task.ts'
import { overrideLease } from './override.ts'
import { refusal } from '../../state/close-task.ts'
import { toFacts } from '../refusals.ts'
import { endUnfinished, sweepLeases } from '../rules.ts'

export const takeBackTask = defineOperation({
  name: 'task.take_back',
  summary: 'As the person, end the lease of the agent that holds a task, and tell that agent why',
  example: '12 --reason "the plan has changed"',
  effect: 'write',
  input: z.object({
    id: reference,
    reason: body({ max: 4096 }).describe('Why; the agent is told with its next answer'),
  }),
  output: z.object({ task: taskSummary, released: leaseView }),
  positional: ['id'],
  async run(context, { id, reason }) {
    requirePerson(context, 'take a task back')
    return await change(context, async (change) => {
      await sweepLeases(change)
      const task = await findTask(change, id)
      const lease = await overrideLease(context, change, task, { force: true, reason })
      if (lease === undefined) throw refusal(task, 'not_held', 'is held by no agent here')
      const facts = { ...toFacts(lease), reason }
      const free = await endUnfinished(change, task, lease, { type: 'task.released', facts })
      const now = change.stamp.at
      return { task: await toTaskSummary(change, free, now), released: toLeaseView(lease, now) }
    })
  },
  show: showTaskResult,
})
