import { route } from '../../shell/router.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'
import { EntityList } from './entity-list.tsx'
import { EntityReader } from './entity-reader.tsx'

/** What was decided and learned: a list beside a reader. */
export function KnowledgeView() {
  const number = Number.parseInt(route.value.rest, 10)
  return (
    <div class={Number.isNaN(number) ? 'knowledge' : 'knowledge reading'}>
      <EntityList chosen={number} />
      {Number.isNaN(number) ? (
        <p class="empty">{knowledgeWords.choose}</p>
      ) : (
        <EntityReader key={number} number={number} />
      )}
    </div>
  )
}
