import { type Fields, multiline, plain } from '../../surfaces/terminal/cells.ts'

/** The changes of one entity, one below the other. */
export function renderHistory(output: Fields): string {
  const entries = output['changes'] as Fields[]
  const blocks = entries.map(({ version, at, by, changes }) => {
    const head = `${plain(version)}  ${plain(at)}  ${by === undefined ? 'somebody' : plain(by)}`
    return [head, ...(changes as Fields[]).map(renderChange)].join('\n')
  })
  const total = Number(output['total'])
  const rest = entries.length < total ? `\n${entries.length} of ${total}\n` : '\n'
  return `${blocks.join('\n\n')}${rest}`
}

function renderChange({ field, from, to }: Fields): string {
  if (from === undefined) return `   ${plain(field)}: ${show(to)}`
  if (to === undefined) return `   ${plain(field)}: removed (was ${show(from)})`
  return `   ${plain(field)}: ${show(from)} → ${show(to)}`
}

function show(value: unknown): string {
  return typeof value === 'string'
    ? multiline(value).trimEnd().replaceAll('\n', '\n      ')
    : plain(JSON.stringify(value))
}
