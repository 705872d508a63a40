import { useEffect } from 'preact/hooks'
import { call, CallError } from '../../data/call.ts'
import { taskAt } from '../../data/task/tasks.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { actedOn } from '../../shell/palette/palette-state.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { TaskBody } from './task-body.tsx'
import { TaskHead } from './task-head.tsx'
import { TaskSide } from './task-side.tsx'

interface Props {
  readonly number: number
  /** Whether it has the whole place, not the half beside the board. */
  readonly isPage?: boolean
}

/** Everything about one task, as a page or beside the board. */
export function TaskPage({ number, isPage = false }: Props) {
  const loaded = useLoad(
    (signal) => call('task.get', { id: String(number) }, { signal }),
    String(number),
    {
      when: (type, subject) =>
        type === '*' || subject === String(number) || subject === taskAt(number)?.id,
    },
  )
  useEffect(() => {
    actedOn.value = number
    return () => void (actedOn.value = undefined)
  }, [number])
  if (loaded.state === 'failed' && isOtherEntity(loaded.error))
    return (
      <div class="empty">
        <p>{en.task.notFound}</p>
        <a href={toAddress('k', number)}>{en.task.seeEntity}</a>
      </div>
    )
  return (
    <LoadedView of={loaded}>
      {(task) => (
        <article class={isPage ? 'task-page wide' : 'task-page'}>
          <TaskHead task={task} isPage={isPage} />
          <div class="task-columns">
            <TaskBody task={task} />
            <TaskSide task={task} />
          </div>
        </article>
      )}
    </LoadedView>
  )
}

/** The number belongs to an entity that is no task. */
function isOtherEntity(error: Error): boolean {
  return error instanceof CallError && typeof error.details['type'] === 'string'
}
