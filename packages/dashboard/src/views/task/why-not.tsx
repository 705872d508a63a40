import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { en } from '../../text/en.ts'

/** Why no agent gets a task, in words. */
export function WhyNot({ number, isOpen }: { readonly number: number; readonly isOpen: boolean }) {
  const loaded = useLoad(
    (signal) => call('task.explain', { id: String(number) }, { signal }),
    `${number} ${isOpen}`,
    {
      when: (type) => type === '*' || type.startsWith('task.') || type.startsWith('lease.'),
    },
  )
  if (!isOpen) return null
  return (
    <LoadedView of={loaded}>
      {({ claimable, obstacles }) =>
        // The head of the task says who holds it, and for how long.
        obstacles.every(({ reason }) => reason === 'held') && !claimable ? null : (
          <section>
            <h3>{en.task.whyNot}</h3>
            {claimable && <p class="muted">{en.task.claimable}</p>}
            <ul>
              {obstacles.map(({ reason, message, tasks }) => (
                <li key={reason}>
                  {message}{' '}
                  {tasks.map((task) => (
                    <TaskLink key={task.number} number={task.number} />
                  ))}
                </li>
              ))}
            </ul>
          </section>
        )
      }
    </LoadedView>
  )
}
