import type { Output } from '../../api.ts'
import { CodeItems, RelationItems } from '../../parts/linked-items.tsx'
import { en } from '../../text/en.ts'

/** Relations and the code that refers to it. */
export function Linked({ linked }: { readonly linked: Output<'entity.get'>['linked'] }) {
  const { relations = [], code = [] } = linked
  if (relations.length + code.length === 0) return null
  return (
    <section>
      <h3>{en.knowledge.around}</h3>
      <ul>
        <RelationItems relations={relations} hasStatus />
        <CodeItems code={code} />
      </ul>
    </section>
  )
}
