import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { taskAt } from '../../data/task/tasks.ts'
import { Skeleton } from '../../parts/loaded-view.tsx'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { peeked } from './board-state.ts'

/** A task beside the board. */
export function Peek({ number }: { readonly number: number }) {
  const task = taskAt(number)
  const TaskPage = useTaskPage()
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
      {TaskPage === undefined ? <Skeleton /> : <TaskPage number={number} />}
    </aside>
  )
}

/** The page of a task is loaded when the first one is peeked at, so that the board starts without it. */
function useTaskPage(): ComponentType<{ readonly number: number }> | undefined {
  const [page, setPage] = useState<{ readonly of?: ComponentType<{ readonly number: number }> }>({})
  useEffect(() => {
    void import('../task/task-page.tsx').then(({ TaskPage }) => setPage({ of: TaskPage }))
  }, [])
  return page.of
}
