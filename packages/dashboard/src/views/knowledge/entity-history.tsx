import { call } from '../../data/call.ts'
import { say } from '../../data/notices.ts'
import { me } from '../../data/session.ts'
import { Change } from '../../parts/event/change.tsx'
import { UndoChange } from '../../parts/event/undo-change.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { Who } from '../../parts/agent/who.tsx'
import { knowledgeWords } from '../../text/view/knowledge.ts'

/** Every change with its diff; each earlier text can be said again. */
export function EntityHistory({ number, id }: { readonly number: number; readonly id: string }) {
  const loaded = useLoad(
    (signal) => call('entity.history', { id: String(number), limit: 50 }, { signal }),
    id,
    {
      when: (type, subject) => type === '*' || subject === id || subject === String(number),
    },
  )
  const restore = async (version: number): Promise<void> => {
    try {
      await call('entity.restore', { id: String(number), version })
      say('ok', `waymark restore ${number} ${version}`)
    } catch (error) {
      say('bad', (error as Error).message)
    }
  }
  return (
    <section>
      <h3>{knowledgeWords.history}</h3>
      <LoadedView of={loaded}>
        {({ changes }) => (
          <ol class="story">
            {changes.map((change, index) => (
              <li key={change.version}>
                <div class="row">
                  {change.by !== undefined && <Who name={change.by} />}
                  <Ago at={Date.parse(change.at)} />
                  {index > 0 && (
                    <button
                      type="button"
                      class="link"
                      aria-keyshortcuts="Shift+y"
                      disabled={me.value?.read_only === true}
                      title={`waymark restore ${number} ${change.version}`}
                      onClick={() => void restore(change.version)}
                    >
                      {knowledgeWords.sayAgain}
                    </button>
                  )}
                </div>
                <Change change={change} />
                <UndoChange of={id} version={change.version} />
              </li>
            ))}
          </ol>
        )}
      </LoadedView>
    </section>
  )
}
