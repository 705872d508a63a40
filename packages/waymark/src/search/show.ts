import { describeTrust } from '../agent/trust-text.ts'
import {
  type Block,
  bold,
  countOf,
  dim,
  joined,
  type Line,
  line,
  own,
  quote,
  titled,
} from '../core/show.ts'
import { showStatus } from '../entity/status-color.ts'
import { displayId } from '../entity/view.ts'
import { toLine } from '../support/text/visible-text.ts'
import type { SearchPage, SearchResult } from './page.ts'

export function showSearch(page: SearchPage): readonly Block[] {
  const { results, total, total_is_minimum, next_cursor: next } = page
  const notes = showNotes(page)
  if (results.length === 0) return [...notes, line`nothing found`]
  const found = line`${total}${own(total_is_minimum === true ? '+' : '')}`
  const more = { isCut: next !== undefined, more: line`go on with --cursor ${next}` }
  return [...notes.map(dim), ...results.map(showResult), ...countOf(results.length, found, more)]
}

function showNotes({ corrected = {}, note, model }: SearchPage): readonly Line[] {
  return [
    ...Object.entries(corrected).map(
      ([typed, meant]) => line`nothing has ${typed}; searched for ${joined(meant)}`,
    ),
    ...(note === undefined ? [] : [line`${note}`]),
    ...(model === undefined ? [] : [line`judged by ${model}`]),
  ]
}

function showResult(result: SearchResult): Block {
  const { kind, number, title, type, note_type, status, created_by, snippet = '' } = result
  const name = number === undefined ? kind : displayId({ number })
  const worth = describeTrust({ ...result.trust, by: created_by })
  const facts = joined([type, note_type, showStatus(status), ...worth])
  const head = line`${name} ${bold(title)} ${dim(line`[${facts}]`)}`
  return snippet === '' ? head : { head, detail: showSnippet(snippet) }
}

/** Results for a model, under the ids that `recall` takes. */
export function showSearchToAgent(page: SearchPage): readonly Block[] {
  const { results, mode, model, total, total_is_minimum, note, next_cursor } = page
  const more = own(total_is_minimum === true ? '+' : '')
  const end = joined(
    [
      line`${results.length} of ${total}${more}, searched by ${mode}`,
      model === undefined ? undefined : line`judged by ${model}`,
      note,
      next_cursor === undefined ? undefined : line`next cursor: ${next_cursor}`,
    ],
    '; ',
  )
  return [...results.flatMap(showResultToAgent), end]
}

function showResultToAgent(result: SearchResult): readonly Block[] {
  const { kind, id, number, title, snippet = '', trust, created_by } = result
  const name = number === undefined ? line`${kind} ${id}` : line`#${number}`
  const date = result.updated_at.slice(0, 10)
  const facts = joined([result.status, ...describeTrust({ ...trust, by: created_by }), date])
  return [
    line`${name} ${joined([result.type, result.note_type], ' ')}: ${titled(title)} (${facts})`,
    ...quote(toLine(snippet).replaceAll(/<\/?mark>/g, '')),
  ]
}

/** Hits are in `<mark>`; splitting by them leaves each hit at an odd place. */
function showSnippet(snippet: string): Line {
  const parts = snippet.split(/<mark>(.{0,240}?)<\/mark>/s)
  return joined(
    parts.map((part, at) => (at % 2 === 1 ? bold(part) : part)),
    '',
  )
}
