import * as z from 'zod'
import { agentId } from '../../agent/acting-agent.ts'
import { type Change, change } from '../../core/change.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { defineOperation } from '../../core/operation.ts'
import { reference } from '../../entity/reference.ts'
import type { EntityRow } from '../../entity/store.ts'
import { asTask } from '../fields.ts'
import { findTask } from '../find-task.ts'
import { findLeased } from '../lease/find-leased.ts'
import { fence } from '../lease/input.ts'
import { resolveWriter } from '../lease/rules.ts'
import { showChangeToAgent } from '../show-agent.ts'
import { showTaskResult } from '../show.ts'
import { isClosed } from '../task.ts'
import { updateTaskRow } from '../write/update-task-row.ts'
import { taskView, toTaskView } from '../view.ts'
import { placeAt } from './rules.ts'

/** Tasks that were never placed share one rank; at most so many of them are given one for a single move. */
const MOST_MOVED = 200

export const reorderTask = defineOperation({
  name: 'task.reorder',
  summary: 'Move an open task before or after another in the queue; it gets the same priority',
  example: '12 --before 7',
  effect: 'write',
  input: z.object({
    id: reference,
    before: reference.optional().describe('The open task that it goes before'),
    after: reference.optional().describe('The open task that it goes after'),
    agent_id: agentId,
    fence,
  }),
  output: z.object({
    task: taskView,
    moved: z.int().describe('How many other tasks were given a place, to keep their order'),
  }),
  positional: ['id'],
  async run(context, { id, before, after, agent_id, fence }) {
    const [field, named] = before === undefined ? ['after', after] : ['before', before]
    if (named === undefined) throw violation('before', 'required', 'is required, or after')
    if (before !== undefined && after !== undefined)
      throw violation('after', 'unknown_field', 'must not be given together with before')
    return await change(context, async (change) => {
      const task = await findLeased(change, id, { fence })
      const target = await findTask(change, named, field)
      await resolveWriter(context, change, task, { agent_id, fence })
      refuseClosed(task, 'id')
      refuseClosed(target, field)
      if (task.id === target.id) throw violation(field, 'self_reference', 'must be another task')
      const { row, moved } = await place(change, task, target, field === 'after')
      return { task: await toTaskView(change, row, change.stamp.at), moved }
    })
  },
  show: showTaskResult,
  showToAgent: showChangeToAgent,
})

async function place(
  change: Change,
  task: EntityRow,
  target: EntityRow,
  isAfter: boolean,
): Promise<{ readonly row: EntityRow; readonly moved: number }> {
  // One more than may move tells whether the list goes on.
  const limit = MOST_MOVED + 1
  const { before, after } = await change.tasks.surroundings(target, task.id, limit)
  const list = [...before, target, ...after]
  const neighbours = {
    ranks: list.map(rankOf),
    isStart: before.length < limit,
    isEnd: after.length < limit,
  }
  const placement = placeAt(neighbours, before.length + Number(isAfter))
  if (placement === undefined) throw tooManyAround(target)
  let moved = 0
  for (const [at, rank] of placement.moved) {
    const other = list[at]
    // A task that another agent holds is not offered, so its place does not matter until it is free.
    if (other === undefined || (await change.admission.refusal(other.id)) !== undefined) continue
    await updateTaskRow(change, other, { rank }, toEvent(['rank']))
    moved += 1
  }
  const { priority } = asTask(target)
  const changed = priority === asTask(task).priority ? ['rank'] : ['priority', 'rank']
  const fields = { priority, rank: placement.rank }
  return { row: await updateTaskRow(change, task, fields, toEvent(changed)), moved }
}

function toEvent(changed: readonly string[]) {
  return { type: 'entity.updated', facts: { changed } } as const
}

function rankOf(row: EntityRow): number {
  return asTask(row).rank ?? 0
}

function refuseClosed(task: EntityRow, field: string): void {
  if (!isClosed(asTask(task))) return
  throw new Failure('conflict', `task ${task.number} is closed, so it has no place in the queue`, {
    details: { field, reason: 'closed' },
  })
}

function tooManyAround({ number }: EntityRow): Failure {
  return new Failure(
    'conflict',
    `more than ${MOST_MOVED} tasks of this priority stand before and after ${number}; give the task another priority, or place it near one end`,
    { details: { field: 'id', max: MOST_MOVED } },
  )
}
