import { route } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { EntityList } from './entity-list.tsx'
import { EntityReader } from './entity-reader.tsx'

/** What was decided and learned: a list beside a reader. */
export function KnowledgeView() {
  const number = Number.parseInt(route.value.rest, 10)
  return (
    <div class={Number.isNaN(number) ? 'knowledge' : 'knowledge reading'}>
      <EntityList chosen={number} />
      {Number.isNaN(number) ? (
        <p class="empty">{en.knowledge.choose}</p>
      ) : (
        <EntityReader key={number} number={number} />
      )}
    </div>
  )
}
