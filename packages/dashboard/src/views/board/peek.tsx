import { taskAt } from '../../data/tasks.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { TaskPage } from '../task/task-page.tsx'
import { peeked } from './board-state.ts'

/** A task beside the board. */
export function Peek({ number }: { readonly number: number }) {
  const task = taskAt(number)
  return (
    <aside class="peek" aria-label={`#${number} ${task?.title ?? ''}`}>
      <div class="peek-bar">
        <a class="button" href={toAddress('t', number)}>
          {en.acts.open}
        </a>
        <button
          type="button"
          class="plain"
          aria-label={en.shell.close}
          onClick={() => (peeked.value = undefined)}
        >
          ✕
        </button>
      </div>
      <TaskPage number={number} />
    </aside>
  )
}
