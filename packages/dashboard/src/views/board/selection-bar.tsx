import type { Act } from '../../acts/act.ts'
import { performOnMany } from '../../acts/perform-many.ts'
import { TASK_ACTS } from '../../acts/task-acts.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { en } from '../../text/en.ts'
import { clearSelection, selection } from './board-state.ts'

/** Acts on all selected tasks; only those that apply to each of them are offered. */
export function SelectionBar() {
  const tasks = [...selection.value].flatMap((number) => taskAt(number) ?? [])
  if (tasks.length === 0) return null
  const acts = TASK_ACTS.filter((act) => tasks.every((task) => act.applies(task)))
  const run = async (act: Act): Promise<void> => {
    await performOnMany(act, tasks)
    clearSelection()
  }
  return (
    <span class="selection-bar" role="group" aria-label={en.board.selected(tasks.length)}>
      <strong>{en.board.selected(tasks.length)}</strong>
      {acts.map((act) => (
        <button
          key={act.id}
          type="button"
          class={act.isDanger ? 'danger' : ''}
          onClick={() => void run(act)}
        >
          {act.label}
        </button>
      ))}
      <button type="button" class="plain" onClick={clearSelection}>
        {en.board.clear}
      </button>
    </span>
  )
}
