import { call } from '../data/call.ts'
import type { Task } from '../data/task/task.ts'
import { listOf } from '../data/task/tasks.ts'
import { en } from '../text/en.ts'
import type { Act } from './act.ts'

/** A place in the queue: beside another task. */
export interface Place {
  readonly side: 'before' | 'after'
  readonly number: number
}

/** Puts a task at a place that a drop or a key has named. */
export function toOrderAct(task: Task, place: Place): Act {
  const back = placeBeside(task, 1) ?? placeBeside(task, -1)
  return {
    id: 'order',
    label: en.acts.order,
    key: 'Shift+o',
    applies: ({ number }) => number !== place.number,
    command: ({ number }) => toCommand(number, place),
    run: ({ number }, _, idempotencyKey) => reorder(number, place, { idempotencyKey }),
    ...(back !== undefined && { undo: (before) => putBack(before, back) }),
  }
}

/** The place beside the next card (1) or the previous one (-1), on the side that is asked for. */
function placeBeside({ column, number }: Task, step: 1 | -1): Place | undefined {
  if (column === undefined) return undefined
  const list = listOf(column).peek()
  const other = list[list.indexOf(number) + step]
  return other === undefined ? undefined : { side: step > 0 ? 'before' : 'after', number: other }
}

/** One card further down (1) or up (-1). */
export function placeBeyond(task: Task, step: 1 | -1): Place | undefined {
  const beside = placeBeside(task, step)
  return beside && { ...beside, side: step > 0 ? 'after' : 'before' }
}

/** Where a text puts a task: before that number. */
export function toPlace(text: string): Place {
  return { side: 'before', number: Number(text.trim().replace(/^#/, '')) }
}

export function toCommand(number: number, place: Place): string {
  return `waymark task reorder ${number} --${place.side} ${place.number}`
}

export function reorder(
  number: number,
  { side, number: beside }: Place,
  options: { readonly idempotencyKey?: string } = {},
): Promise<unknown> {
  return call('task.reorder', { id: String(number), [side]: String(beside) }, options)
}

/** Beside the card that it stood beside, with the priority that it had. */
async function putBack({ number, priority }: Task, place: Place): Promise<void> {
  await reorder(number, place)
  await call('task.update', { id: String(number), priority })
}
