import picocolors from 'picocolors'
import { describeTrust } from '../agent/trust-text.ts'
import {
  displayId,
  type Fields,
  plain,
  type Render,
  type Style,
} from '../surfaces/terminal/cells.ts'
import { renderEntityTable } from '../entity/show.ts'

export const RENDERERS: Readonly<Record<string, Render>> = {
  'search.text': renderSearch,
  'search.semantic': renderSearch,
  'search.query': renderSearch,
  'search.context': renderEntityTable,
}

function renderSearch(output: Fields, style: Style): string {
  const results = output['results'] as Fields[]
  const { dim } = picocolors.createColors(style.colors)
  const notes = searchNotes(output)
  if (results.length === 0) return [...notes, 'nothing found', ''].join('\n')
  const shown = results.map((result) => renderResult(result, style))
  const total = `${plain(output['total'])}${output['total_is_minimum'] === true ? '+' : ''}`
  const rest =
    output['next_cursor'] === undefined
      ? []
      : [dim(`${results.length} of ${total}; go on with --cursor ${plain(output['next_cursor'])}`)]
  return `${[...notes.map(dim), ...shown, ...rest].join('\n')}\n`
}

function searchNotes(output: Fields): readonly string[] {
  const corrected = Object.entries((output['corrected'] ?? {}) as Record<string, string[]>)
  return [
    ...corrected.map(
      ([typed, meant]) =>
        `nothing has ${plain(typed)}; searched for ${meant.map(plain).join(', ')}`,
    ),
    ...(output['note'] === undefined ? [] : [plain(output['note'])]),
    ...(output['model'] === undefined ? [] : [`meaning judged by ${plain(output['model'])}`]),
  ]
}

function renderResult(result: Fields, style: Style): string {
  const { bold, dim } = picocolors.createColors(style.colors)
  const name = result['number'] === undefined ? plain(result['kind']) : displayId(result)
  const { type, note_type, status, created_by, trust } = result
  const worth = describeTrust({ ...(trust as Fields), by: created_by as string | undefined })
  const facts = [type, note_type, status, ...worth].filter(Boolean).map(plain).join(', ')
  const head = `${name} ${bold(plain(result['title']))} ${dim(`[${facts}]`)}`
  const snippet = plain(result['snippet'])
  if (snippet === '') return head
  const marked = snippet.replace(/<mark>(.{0,240}?)<\/mark>/g, (_, hit: string) => bold(hit))
  return style.interactive ? `${head}\n  ${marked}` : `${head}\t${marked}`
}
