import { type Row, STEPS, type StepResult } from './row.ts'
import type { StepId } from './story.ts'

/** Everything that is known of the rows, as Markdown. */
export function toTables(rows: readonly Row[]): string {
  return [
    '## Connection',
    '',
    ...table(
      ['host', 'version', 'connected', 'protocol', 'client', 'tools at start', 'uninstall'],
      rows.map((row) => [
        row.title,
        row.version,
        connectionOf(row),
        row.handshake?.protocol ?? '–',
        row.handshake?.client ?? '–',
        row.first === undefined ? '–' : String(row.first.tools),
        row.uninstall,
      ]),
    ),
    '',
    '## Story',
    '',
    ...table(
      ['host', ...STEPS.map((step) => TITLES[step])],
      rows.map((row) => [row.title, ...STEPS.map((step) => stateOf(row, step))]),
    ),
    ...reasonsOf(rows),
    '',
    '## Hooks',
    '',
    ...table(
      ['host', 'hooks that ran', 'brief in the first request', 'asked to go on after its turn'],
      rows.map((row) => [
        row.title,
        row.hooks.join(', ') || '–',
        row.first?.isBriefed === true ? 'yes' : 'no',
        String(row.continued),
      ]),
    ),
    '',
    '## Tokens the model received',
    '',
    ...table(
      ['host', ...TOLD.map((step) => TITLES[step]), 'sum', 'form', 'hidden characters'],
      rows.map((row) => {
        const tokens = TOLD.map((step) => row.steps.find((each) => each.step === step)?.tokens)
        const sum = tokens.reduce<number>((total, each) => total + (each ?? 0), 0)
        return [
          row.title,
          ...tokens.map((each) => String(each ?? '–')),
          String(sum),
          [...new Set(row.steps.flatMap(({ form }) => form ?? []))].join(', ') || '–',
          hiddenIn(row),
        ]
      }),
    ),
    ...notesOf(rows),
    '',
  ].join('\n')
}

const TITLES: Readonly<Record<StepId, string>> = {
  brief: 'brief',
  remember: 'remember',
  recall: 'recall',
  task_create: 'task_create',
  task_next: 'task_next',
  edit: 'edit of a reserved file',
  free_edit: 'edit of a free file',
  complete: 'resume, complete',
}

/** Steps whose answers come from Waymark. */
const TOLD = STEPS.filter((step) => step !== 'edit' && step !== 'free_edit')

function connectionOf({ handshake, connectedBy }: Row): string {
  if (handshake === undefined) return 'no'
  return connectedBy === 'by hand' ? 'only by hand' : 'yes'
}

function stateOf({ steps }: Row, step: StepId): string {
  const result = steps.find((each) => each.step === step)
  if (result === undefined) return '–'
  if (step === 'edit' && result.state === 'ok')
    return result.isTold === true ? 'told, not stopped' : 'not stopped'
  return result.state
}

function hiddenIn({ steps }: Row): string {
  const seen = steps.flatMap(({ isHidden }) => isHidden ?? [])
  if (seen.length === 0) return '–'
  return seen.includes(true) ? 'reach the model' : 'none'
}

function reasonsOf(rows: readonly Row[]): string[] {
  const lines = rows.flatMap(({ title, steps }) =>
    [...groupByReason(steps)].map(
      ([reason, names]) => `- ${title}, ${names.join(', ')}: ${inline(reason)}`,
    ),
  )
  return lines.length === 0 ? [] : ['', 'Why not:', '', ...lines]
}

/** Times and numbers differ between answers that say the same. */
function groupByReason(steps: readonly StepResult[]): Map<string, string[]> {
  const groups = new Map<string, { readonly reason: string; readonly names: string[] }>()
  for (const { step, reason } of steps) {
    if (reason === undefined) continue
    const key = reason.replaceAll(/\d+(?:\.\d+)?/g, '0')
    const group = groups.get(key) ?? { reason, names: [] }
    group.names.push(TITLES[step])
    groups.set(key, group)
  }
  return new Map([...groups.values()].map(({ reason, names }) => [reason, names]))
}

function notesOf(rows: readonly Row[]): string[] {
  const lines = rows.flatMap(({ title, notes }) =>
    notes.map((note) => `- ${title}: ${toCell(note)}`),
  )
  return lines.length === 0 ? [] : ['', '## Notes', '', ...lines]
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [heads, heads.map(() => '---'), ...rows.map((row) => row.map(toCell))].map(
    (cells) => `| ${cells.join(' | ')} |`,
  )
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function inline(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``
}
