import type { Task } from '../data/task/task.ts'
import type { Act } from './act.ts'
import { MESSAGE_ACTS } from './message-acts.ts'
import { PLAN_ACTS } from './plan-acts.ts'
import { CANCEL, STATE_ACTS } from './state-acts.ts'

/** Every act on a task, in the order of menus. Boards, pages, keys and the palette all read this list. */
export const TASK_ACTS: readonly Act[] = [...STATE_ACTS, ...PLAN_ACTS, ...MESSAGE_ACTS, CANCEL]

export function actsOn(task: Task): readonly Act[] {
  return TASK_ACTS.filter((act) => act.applies(task))
}
