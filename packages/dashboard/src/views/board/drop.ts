import type { Act } from '../../acts/act.ts'
import { type Place, toOrderAct } from '../../acts/order-act.ts'
import { TASK_ACTS } from '../../acts/task-acts.ts'
import { isFree } from '../../acts/task-rules.ts'
import type { Column, Task } from '../../data/task/task.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { en } from '../../text/en.ts'

export interface Drop {
  readonly text: string
  /** Undefined where a drop does nothing. */
  readonly act: Act | undefined
}

/** What the acts are called that a drop on a column stands for, the first that applies. */
const ACTS_BY_COLUMN: Readonly<Record<Column, readonly (readonly [id: string, text: string])[]>> = {
  ready: [
    ['release', en.board.drop.giveBack],
    ['take-back', en.board.drop.takeBack],
    ['reopen', en.board.drop.reopen],
  ],
  in_progress: [['take', en.board.drop.take]],
  waiting: [],
  to_verify: [['complete', en.board.drop.complete]],
  done: [
    ['verify', en.board.drop.verify],
    ['complete', en.board.drop.complete],
  ],
}

/** The effect of dropping a task on a column, beside one of its cards; shown while dragging. */
export function dropOn(task: Task, column: Column, place?: Place): Drop | undefined {
  if (task.column === column) return place === undefined ? undefined : dropBeside(task, place)
  for (const [id, text] of ACTS_BY_COLUMN[column]) {
    const act = TASK_ACTS.find((one) => one.id === id)
    if (act?.applies(task) === true) return { text, act }
  }
  return { text: en.board.drop.none, act: undefined }
}

/** Within its column a task changes its place, and its priority with it if the other card has another. */
function dropBeside(task: Task, place: Place): Drop | undefined {
  const other = taskAt(place.number)
  if (other === undefined || other.number === task.number || !isFree(task)) return undefined
  const { priority } = other
  const named =
    priority === task.priority ? undefined : (en.priorities[priority] ?? String(priority))
  return {
    text: en.board.drop.order(place.side, place.number, named),
    act: toOrderAct(task, place),
  }
}
