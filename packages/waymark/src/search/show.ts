import { describeTrust } from '../agent/trust-text.ts'
import { type Block, bold, dim, joined, type Line, line, own } from '../core/show.ts'
import { displayId } from '../entity/show.ts'
import type { SearchPage, SearchResult } from './page.ts'

export function showSearch(page: SearchPage): readonly Block[] {
  const { results, total, total_is_minimum, next_cursor: next } = page
  const notes = showNotes(page)
  if (results.length === 0) return [...notes, line`nothing found`]
  const found = line`${total}${own(total_is_minimum === true ? '+' : '')}`
  const rest = line`${results.length} of ${found}; go on with --cursor ${next}`
  return [...notes.map(dim), ...results.map(showResult), ...(next === undefined ? [] : [dim(rest)])]
}

function showNotes({ corrected = {}, note, model }: SearchPage): readonly Line[] {
  return [
    ...Object.entries(corrected).map(
      ([typed, meant]) => line`nothing has ${typed}; searched for ${joined(meant)}`,
    ),
    ...(note === undefined ? [] : [line`${note}`]),
    ...(model === undefined ? [] : [line`meaning judged by ${model}`]),
  ]
}

function showResult(result: SearchResult): Block {
  const { kind, id, number, title, type, note_type, status, created_by, snippet = '' } = result
  const name = number === undefined ? kind : displayId({ id, number })
  const worth = describeTrust({ ...result.trust, by: created_by })
  const facts = joined([type, note_type, status, ...worth])
  const head = line`${name} ${bold(title)} ${dim(line`[${facts}]`)}`
  return snippet === '' ? head : { head, detail: showSnippet(snippet) }
}

/** Hits are in `<mark>`; splitting by them leaves each hit at an odd place. */
function showSnippet(snippet: string): Line {
  const parts = snippet.split(/<mark>(.{0,240}?)<\/mark>/s)
  return joined(
    parts.map((part, at) => (at % 2 === 1 ? bold(part) : part)),
    '',
  )
}
