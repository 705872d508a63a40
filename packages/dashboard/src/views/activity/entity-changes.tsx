import { call } from '../../data/call.ts'
import { Change } from '../../parts/event/change.tsx'
import { UndoChange } from '../../parts/event/undo-change.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { activityWords } from '../../text/view/activity.ts'

/** Changes within so many milliseconds of an event belong to it. */
const NEAR_MS = 2000

interface Props {
  readonly id: string
  readonly at: number
}

/** What an event changed, and a way back to what was before it. */
export function EntityChanges({ id, at }: Props) {
  const loaded = useLoad((signal) => call('entity.history', { id, limit: 50 }, { signal }), id)
  return (
    <LoadedView of={loaded}>
      {({ changes }) => {
        const near = changes.filter((change) => Math.abs(Date.parse(change.at) - at) < NEAR_MS)
        return (
          <div class="event-changes">
            {near.length === 0 && <p class="muted">{activityWords.noFields}</p>}
            {near.map((change) => (
              <div key={change.version}>
                <Change change={change} />
                <UndoChange of={id} version={change.version} />
              </div>
            ))}
          </div>
        )
      }}
    </LoadedView>
  )
}
