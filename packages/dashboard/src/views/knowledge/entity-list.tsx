import { useState } from 'preact/hooks'
import { call } from '../../data/call.ts'
import { Command } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { route, setQuery, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { knowledgeWords } from '../../text/view/knowledge.ts'
import { isEntityEvent } from './entity-events.ts'

const TYPES = ['decision', 'note', 'component', 'link', 'prompt'] as const
const PAGE = 100

/** Decisions first: they are what the rest rests on. */
export function EntityList({ chosen }: { readonly chosen: number }) {
  const { query } = route.value
  const type = TYPES.find((name) => name === query.get('type')) ?? 'decision'
  const [limit, setLimit] = useState(PAGE)
  const [words, setWords] = useState('')
  const loaded = useLoad(
    (signal) => call('entity.list', { type, limit: Math.min(limit, 1000) }, { signal }),
    `${type} ${limit}`,
    {
      when: isEntityEvent,
    },
  )
  return (
    <section class="entity-list" aria-label={en.views.knowledge}>
      <div class="filters">
        <select
          aria-label={knowledgeWords.filter}
          value={type}
          onChange={({ currentTarget }) => setQuery({ type: currentTarget.value })}
        >
          {TYPES.map((name) => (
            <option key={name} value={name}>
              {knowledgeWords.types[name]}
            </option>
          ))}
        </select>
        <input
          type="search"
          class="grow"
          aria-label={knowledgeWords.filter}
          placeholder={knowledgeWords.filter}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </div>
      <LoadedView of={loaded}>
        {({ entities, total }) => {
          const shown = entities.filter(({ title, tags }) =>
            `${title} ${tags.join(' ')}`.toLowerCase().includes(words.toLowerCase()),
          )
          if (total === 0) {
            return (
              <div class="empty">
                <p>{knowledgeWords.empty}</p>
                <Command text={`waymark add ${type} "Use SQLite for storage"`} />
              </div>
            )
          }
          return (
            <>
              <p class="muted" role="status">
                {knowledgeWords.shown(shown.length, total)}
              </p>
              <ul>
                {shown.map(({ number, title, tags, properties, updated_at }) => (
                  <li key={number}>
                    <a
                      class="entity-link"
                      aria-current={number === chosen ? 'true' : undefined}
                      href={toAddress('k', number, { type })}
                    >
                      <span class="row">
                        <span class="number">#{number}</span>
                        <strong class="grow clip">{title}</strong>
                        <Status value={properties['status']} />
                      </span>
                      <span class="row">
                        <span class="grow clip muted">{tags.join(', ')}</span>
                        <Ago at={Date.parse(updated_at)} />
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
              {entities.length < total && (
                <button type="button" onClick={() => setLimit(limit + PAGE)}>
                  {knowledgeWords.more}
                </button>
              )}
            </>
          )
        }}
      </LoadedView>
    </section>
  )
}

export function Status({ value }: { readonly value: unknown }) {
  return typeof value === 'string' ? (
    <span class={`chip status-${value}`}>{knowledgeWords.status[value] ?? value}</span>
  ) : null
}
