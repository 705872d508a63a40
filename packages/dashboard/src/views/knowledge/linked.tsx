import type { Output } from '../../api.ts'
import { CodeItems, RelationItems } from '../../parts/linked-items.tsx'
import { knowledgeWords } from '../../text/view/knowledge.ts'

/** Relations and the code that refers to it. */
export function Linked({ linked }: { readonly linked: Output<'entity.get'>['linked'] }) {
  const { relations = [], code = [] } = linked
  if (relations.length + code.length === 0) return null
  return (
    <section>
      <h3>{knowledgeWords.around}</h3>
      <ul>
        <RelationItems relations={relations} hasStatus />
        <CodeItems code={code} />
      </ul>
    </section>
  )
}
