import picocolors from 'picocolors'
import { type Brief, toBriefText } from '../brief/text.ts'
import {
  type Column,
  type Fields,
  multiline,
  plain,
  type Render,
  type Style,
  table,
} from '../surfaces/terminal/cells.ts'

/** How the first look at a project is read. */
export const RENDERERS: Readonly<Record<string, Render>> = {
  'status.show': renderStatus,
  'brief.show': (output) => `${multiline(toBriefText(output as unknown as Brief))}\n`,
}

const TASK: readonly Column[] = [
  { head: 'TASK', value: ({ number }) => plain(number) },
  { head: 'TITLE', value: ({ title }) => plain(title) },
]

const HELD: readonly Column[] = [
  ...TASK,
  { head: 'LEFT', value: ({ seconds_left }) => `${Math.floor(Number(seconds_left) / 60)} min` },
]

const READY: readonly Column[] = [
  ...TASK,
  { head: 'PRIORITY', value: ({ priority }) => plain(priority) },
]

const BLOCKED: readonly Column[] = [
  ...TASK,
  { head: 'WAITS FOR', value: ({ waits_for }) => (waits_for as number[]).map(plain).join(', ') },
]

const RECENT: readonly Column[] = [
  { head: 'WHEN', value: ({ at }) => plain(at).slice(0, 16).replace('T', ' ') },
  { head: 'WHAT', value: ({ number, what }) => `${plain(number)} ${plain(what)}` },
  { head: 'TITLE', value: ({ title }) => plain(title) },
  { head: 'BY', value: ({ by }) => plain(by) },
]

/** The default view: what to do on the first line, what there is below, and the command for each. */
async function renderStatus(output: Fields, style: Style): Promise<string> {
  const { bold, dim } = picocolors.createColors(style.colors)
  const part = async (heading: string, rows: unknown, columns: readonly Column[]) => {
    const shown = rows as readonly Fields[]
    return shown.length === 0 ? '' : `\n${bold(heading)}\n${await table(shown, columns, style)}`
  }
  const { project, next, holding, ready, ready_total, blocked, blocked_total, recent } = output
  const parts = [
    await part('You hold', holding, HELD),
    await part(`Ready (${plain(ready_total)})`, ready, READY),
    await part(`Blocked (${plain(blocked_total)})`, blocked, BLOCKED),
    await part('Lately', recent, RECENT),
  ]
  return `${bold(plain(project))}: ${plain(next)}\n${parts.join('')}\n${dim(footer(output))}\n`
}

function footer({ unread, unsent, agents_online }: Fields): string {
  return [
    `${plain(unread)} unread (waymark messages list)`,
    `${plain(agents_online)} agents online`,
    `${plain(unsent)} not synced (waymark sync)`,
  ].join(' · ')
}
