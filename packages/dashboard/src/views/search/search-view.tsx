import { useState } from 'preact/hooks'
import type { Input } from '../../api.ts'
import { call } from '../../data/call.ts'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { MarkedText } from '../../parts/text/marked-text.tsx'
import { Ago } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { route, setQuery, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { searchWords } from '../../text/view/search.ts'

const KINDS = ['all', 'entity', 'message', 'annotation', 'artifact'] as const

/** Searches everything that is stored. The words are in the address. */
export function SearchView() {
  const text = route.value.query.get('q') ?? ''
  const kind = KINDS.find((name) => name === route.value.query.get('kind')) ?? 'all'
  const [written, setWritten] = useState(text)
  return (
    <div class="search-view">
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          setQuery({ q: written.trim() })
        }}
      >
        <input
          type="search"
          class="grow"
          aria-label={searchWords.placeholder}
          placeholder={searchWords.placeholder}
          value={written}
          autoFocus
          onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        />
        <span class="segmented" role="group">
          {KINDS.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={kind === name}
              onClick={() => setQuery({ kind: name })}
            >
              {searchWords.kinds[name]}
            </button>
          ))}
        </span>
        <button type="submit" class="primary">
          {en.views.search}
        </button>
      </form>
      {text === '' ? (
        <p class="empty">{searchWords.start}</p>
      ) : (
        <Results key={`${kind} ${text}`} text={text} kind={kind} />
      )}
    </div>
  )
}

interface ResultsProps {
  readonly text: string
  readonly kind: (typeof KINDS)[number]
}

function Results({ text, kind }: ResultsProps) {
  const [limit, setLimit] = useState(20)
  const input: Input<'search.query'> = {
    query: text,
    limit,
    ...(kind !== 'all' && { kinds: [kind] }),
  }
  const loaded = useLoad(
    (signal) => call('search.query', input, { signal }),
    `${kind} ${text} ${limit}`,
  )
  return (
    <LoadedView of={loaded}>
      {({ results, total, total_is_minimum, corrected }) => (
        <>
          <p class="muted" role="status">
            {total_is_minimum ? searchWords.atLeast(total) : searchWords.results(total)}
            {corrected !== undefined && ` · ${searchWords.corrected}`}
          </p>
          {results.length === 0 && <p class="empty">{searchWords.none}</p>}
          <ul class="rows panel">
            {results.map((result) => (
              <Result key={result.id} {...result} />
            ))}
          </ul>
          {results.length < total && (
            <button type="button" onClick={() => setLimit(Math.min(100, limit + 40))}>
              {searchWords.more}
            </button>
          )}
        </>
      )}
    </LoadedView>
  )
}

interface ResultProps {
  readonly number?: number
  readonly type: string
  readonly status?: string
  readonly title: string
  readonly snippet?: string
  readonly updated_at: string
  readonly created_by?: string
}

function Result({ number, type, status, title, snippet, updated_at, created_by }: ResultProps) {
  const name = (
    <>
      {number !== undefined && <span class="number">#{number} </span>}
      {title}
    </>
  )
  return (
    <li>
      <div class="row">
        <span class="grow">
          {number === undefined ? (
            name
          ) : (
            <a class="title-link" href={toAddress(type === 'task' ? 't' : 'k', number)}>
              {name}
            </a>
          )}
        </span>
        <span class="chip">
          {status === undefined ? type : `${type} · ${status.replaceAll('_', ' ')}`}
        </span>
        <Ago at={Date.parse(updated_at)} />
      </div>
      {snippet !== undefined && (
        <p class="muted plain-text">
          <MarkedText text={snippet} />
        </p>
      )}
      {created_by !== undefined && <p class="muted">{en.task.by(created_by)}</p>}
    </li>
  )
}
