import { call } from '../../data/call.ts'
import { EntityButtons } from '../../parts/entity-buttons.tsx'
import { EditableText } from '../../parts/text/editable-text.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'
import { EntityHistory } from './entity-history.tsx'
import { Status } from './entity-list.tsx'
import { Impact } from './impact.tsx'
import { Linked } from './linked.tsx'
import { Standing } from './standing.tsx'

/** One entry: its text, its standing, what leans on it and how it came about. */
export function EntityReader({ number }: { readonly number: number }) {
  const loaded = useLoad(
    (signal) => call('entity.get', { id: String(number) }, { signal }),
    String(number),
    {
      when: (type, subject) =>
        type === '*' ||
        (/^(?:entity|relation|decision)\./.test(type) &&
          (subject === String(number) || type.startsWith('relation.'))),
    },
  )
  return (
    <LoadedView of={loaded}>
      {(entity) => (
        <article class="reader">
          <p class="back">
            <a href={toAddress('knowledge', '', { type: entity.type })}>← {knowledgeWords.all}</a>
          </p>
          <header>
            <h2 class="task-title">
              <span class="number">#{entity.number}</span> {entity.title}
            </h2>
            <p class="task-facts">
              <span class="chip">{entity.type}</span>
              <Status value={entity.properties['status']} />
              {entity.tags.map((tag) => (
                <span key={tag} class="chip">
                  {tag}
                </span>
              ))}
              <Ago at={Date.parse(entity.updated_at)} />
            </p>
            <p class="act-buttons">
              <EntityButtons
                number={entity.number}
                type={entity.type}
                status={entity.properties['status']}
              />
              <a class="button" href={toAddress('graph', entity.number)}>
                {en.views.graph}
              </a>
            </p>
          </header>
          <Standing
            trust={entity.trust}
            supersededBy={entity.linked.superseded_by}
            author={entity.created_by}
          />
          <section>
            <EditableText
              draftKey={`entity ${number}`}
              heading={knowledgeWords.text}
              command={`waymark edit ${number} --edit`}
              present={{
                title: entity.title,
                text: entity.content ?? '',
                revision: entity.revision,
              }}
              save={async ({ title, text }, expectedRevision) => {
                await call('entity.update', {
                  id: String(number),
                  title,
                  content: text,
                  expected_revision: expectedRevision,
                })
              }}
            />
          </section>
          <Linked linked={entity.linked} />
          <Impact number={number} />
          <EntityHistory number={number} id={entity.id} />
        </article>
      )}
    </LoadedView>
  )
}
