import { perform } from '../acts/perform.ts'
import { TASK_ACTS } from '../acts/task-acts.ts'
import { me } from '../data/session.ts'
import { taskAt } from '../data/task/tasks.ts'
import { en } from '../text/en.ts'

interface Props {
  readonly number: number
  /** Which acts, in this order; those that do not apply are left out. */
  readonly acts: readonly string[]
}

/** Buttons for acts on a task; the command that does the same is the tooltip. */
export function ActButtons({ number, acts }: Props) {
  const task = taskAt(number)
  if (task === undefined) return null
  const isReadOnly = me.value?.read_only === true
  const shown = acts.flatMap(
    (id) => TASK_ACTS.find((act) => act.id === id && act.applies(task)) ?? [],
  )
  return (
    <span class="act-buttons">
      {shown.map((act) => (
        <button
          key={act.id}
          type="button"
          class={act.isDanger ? 'danger' : ''}
          disabled={isReadOnly}
          title={
            isReadOnly
              ? en.acts.readOnly
              : `${act.command(task, '')}${act.key === undefined ? '' : `   (${act.key})`}`
          }
          onClick={() => void perform(act, task)}
        >
          {act.label}
        </button>
      ))}
    </span>
  )
}
