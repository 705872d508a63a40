import type { Act } from '../acts/act.ts'
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

/** Buttons for acts on a task. */
export function ActButtons({ number, acts }: Props) {
  const task = taskAt(number)
  if (task === undefined) return null
  const shown = acts.flatMap(
    (id) => TASK_ACTS.find((act) => act.id === id && act.applies(task)) ?? [],
  )
  return <Buttons acts={shown} of={task} onAct={(act) => void perform(act, task)} />
}

interface ButtonsProps<Of> {
  readonly acts: readonly Act<Of>[]
  readonly of: Of
  readonly onAct: (act: Act<Of>) => void
}

/** One button for each act; the command that does the same and the key are the tooltip. */
export function Buttons<Of>({ acts, of, onAct }: ButtonsProps<Of>) {
  const isReadOnly = me.value?.read_only === true
  return (
    <span class="act-buttons">
      {acts.map((act) => (
        <button
          key={act.id}
          type="button"
          class={act.isDanger ? 'danger' : ''}
          disabled={isReadOnly}
          aria-keyshortcuts={act.key}
          title={isReadOnly ? en.acts.readOnly : `${act.command(of, '')}   (${act.key})`}
          onClick={() => onAct(act)}
        >
          {act.label}
        </button>
      ))}
    </span>
  )
}
