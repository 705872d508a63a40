import type { Output } from '../../api.ts'
import { toAddress } from '../../shell/router.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'

type Entity = Output<'entity.get'>

interface Props {
  readonly trust: Entity['trust']
  readonly supersededBy: Entity['linked']['superseded_by']
  /** The name of the author, who is known by an id otherwise. */
  readonly author: string | undefined
}

/** Who said it, how far that is proved, and whether it still holds. */
export function Standing({ trust, supersededBy, author }: Props) {
  const { agent, proved, imported_from, via, code } = trust
  return (
    <p class="standing">
      {agent !== undefined && (
        <span>
          {proved
            ? knowledgeWords.trust.proved(author ?? agent)
            : knowledgeWords.trust.said(author ?? agent)}
        </span>
      )}
      {imported_from !== undefined && (
        <span class="mark warn">{knowledgeWords.trust.imported(imported_from)}</span>
      )}
      {via !== undefined && <span class="muted">{knowledgeWords.trust.via(via)}</span>}
      {code !== undefined && (
        <span class={code === 'fresh' ? 'mark ok' : 'mark warn'}>
          {knowledgeWords.codeState[code]}
        </span>
      )}
      {supersededBy !== undefined && (
        <span class="mark warn">
          {knowledgeWords.supersededBy}{' '}
          <a href={toAddress('k', supersededBy.number)}>
            #{supersededBy.number} {supersededBy.title}
          </a>
        </span>
      )}
    </p>
  )
}
