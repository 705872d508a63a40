import { now } from '../data/live/clock.ts'
import type { Task } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import { SOON_MS } from './lease-bar.tsx'

type State = keyof typeof en.states

const SHAPES: Readonly<Record<State, readonly [shape: string, tone: string]>> = {
  held: ['●', 'info'],
  soon: ['◐', 'warn'],
  free: ['○', ''],
  waiting: ['◌', ''],
  parked: ['▲', 'bad'],
  to_verify: ['✓', 'warn'],
  done: ['✓', 'ok'],
  verified: ['✓✓', 'ok'],
  cancelled: ['✕', ''],
  question: ['◇', 'info'],
}

export function stateOf(task: Task): State {
  if (task.isParked) return 'parked'
  if (task.status === 'cancelled') return 'cancelled'
  if (task.column === 'to_verify') return 'to_verify'
  if (task.column === 'done') return 'done'
  if (task.holder !== undefined) return task.holder.until - now.value < SOON_MS ? 'soon' : 'held'
  return task.column === 'waiting' ? 'waiting' : 'free'
}

/** A state as a shape and a word, so that it never depends on colour. */
export function StateMark({
  state,
  shapeOnly = false,
}: {
  readonly state: State
  readonly shapeOnly?: boolean
}) {
  const [shape, tone] = SHAPES[state]
  return (
    <span class={`mark ${tone}`} title={en.states[state]}>
      <span aria-hidden="true">{shape}</span>
      <span class={shapeOnly ? 'visually-hidden' : ''}>{en.states[state]}</span>
    </span>
  )
}
