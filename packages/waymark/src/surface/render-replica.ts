import { type Fields, isFields, multiline, plain } from './cells.ts'

/** What sync, history, undo and checks answer, as a person reads it; undefined if it is none of that. */
export function renderReplica(output: Fields): string | undefined {
  if (isFields(output['received']) && isFields(output['sent'])) return renderSync(output)
  if (Array.isArray(output['changes']) && 'total' in output) return renderHistory(output)
  if (Array.isArray(output['checks']) && 'repaired' in output) return renderChecks(output)
  if (Array.isArray(output['entities']) && 'author' in output) return renderUndo(output)
  if (typeof output['bytes'] === 'number' && 'path' in output) {
    return renderBackup(output)
  }
  return undefined
}

function renderBackup(output: Fields): string {
  const leftOut = problem(output['artifacts_left_out'], 'artifacts are not in it: they stay here')
  const what = `${plain(output['entities'])} entities in ${plain(output['path'])}, ${plain(output['bytes'])} bytes`
  return `${[what, ...leftOut].join('\n')}\n`
}

function renderSync(output: Fields): string {
  const received = output['received'] as Fields
  const sent = output['sent'] as Fields
  const came = Object.entries(received).filter(([, count]) => count !== 0)
  const isDry = output['dry_run'] === true
  const where = output['remote'] === undefined ? 'no remote' : plain(output['remote'])
  const lines = [
    `${isDry ? 'would come' : 'came'} from ${where}: ${came.length === 0 ? 'nothing' : came.map(([what, count]) => `${plain(count)} ${what}`).join(', ')}`,
    `${isDry ? 'would go' : 'went'}: ${plain(sent['entities'])} entities${sent['pushed'] === true || isDry ? '' : ', not pushed'}`,
    ...(output['renumbered'] as Fields[]).map(
      ({ id, from, to }) =>
        `renumbered: ${plain(id).slice(0, 7)} from ${plain(from)} to ${plain(to)}`,
    ),
    ...problem(output['waiting'], 'changes wait for others that have not arrived'),
    ...problem(output['damaged'], 'lines of the log cannot be read'),
    ...problem((output['not_understood'] as string[]).length, 'entities need a newer waymark'),
  ]
  return `${lines.join('\n')}\n`
}

function problem(count: unknown, words: string): readonly string[] {
  return Number(count) > 0 ? [`warning: ${plain(count)} ${words}`] : []
}

function renderHistory(output: Fields): string {
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

function renderUndo(output: Fields): string {
  const entities = output['entities'] as Fields[]
  if (entities.length === 0) return `nothing by ${plain(output['author'])} to take back\n`
  const would = output['dry_run'] === true ? 'would be ' : ''
  const lines = entities.map(({ number, title, outcome, fields, kept }) => {
    const back = (fields as string[]).map(plain).join(', ')
    const others = (kept as string[]).map(plain).join(', ')
    const parts = [
      `${would}${plain(outcome)}: ${plain(number)} ${plain(title)}`,
      ...(back === '' ? [] : [`  back: ${back}`]),
      ...(others === '' ? [] : [`  changed by others since, so kept: ${others}`]),
    ]
    return parts.join('\n')
  })
  return `${lines.join('\n')}\n`
}

function renderChecks(output: Fields): string {
  const lines = (output['checks'] as Fields[]).flatMap(({ name, status, message, fix }) => [
    `${plain(status)}: ${plain(name)}: ${plain(message)}`,
    ...(fix === undefined ? [] : [`  ${plain(fix)}`]),
  ])
  return `${lines.join('\n')}\n`
}
