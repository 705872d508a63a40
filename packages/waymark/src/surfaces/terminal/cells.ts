import { toEscaped } from '../../support/text/visible-text.ts'
import { alignTable } from './table.ts'

export interface Style {
  readonly columns: number
  readonly colors: boolean
  /** Tables for a person are cut to the width of the screen; for a pipe they are whole and separated by tabs. */
  readonly interactive: boolean
}

export type Fields = Readonly<Record<string, unknown>>

/** How the answer of an operation is shown to a person. */
export type Render = (output: Fields, style: Style) => string | Promise<string>

export interface Column {
  readonly head: string
  readonly value: (row: Fields) => string
}

export async function table(
  rows: readonly Fields[],
  columns: readonly Column[],
  style: Style,
): Promise<string> {
  const cells = rows.map((row) => columns.map(({ value }) => value(row)))
  if (!style.interactive) return cells.map((row) => `${row.join('\t')}\n`).join('')
  return await alignTable([columns.map(({ head }) => head), ...cells], style)
}

export function displayId(row: Fields): string {
  return `${String(row['number']).padStart(3, '0')} (${plain(row['id']).slice(0, 7)})`
}

export function label(row: Fields): string {
  return `${displayId(row)} ${plain(row['title'])}`
}

/** `1 task`, `2 tasks`. */
export function countOf(count: unknown, noun: string): string {
  return `${plain(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Who holds something: the name for people, the id for commands. */
export function holder({ agent_id, agent_name }: Fields): string {
  return agent_name === undefined ? plain(agent_id) : `${plain(agent_name)} (${plain(agent_id)})`
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Stored text may hold escape sequences or bidirectional marks; on a terminal they are shown, never obeyed. */
export function plain(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text =
    typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)
  return toEscaped(text)
}

export function multiline(value: unknown): string {
  return String(value).replaceAll('\t', '    ').split(/\r?\n/).map(plain).join('\n')
}

/**
 * A stored text of any length below a line of ours. It is indented, so that it cannot look like another of ours: in a
 * pipe too, where agents read. Whoever wants it to the byte asks for JSON.
 */
export function block(value: unknown): string {
  return multiline(value).replaceAll(/^(?=.)/gm, '  ')
}

/** What a call warns of. */
export function messagesOf(warnings: unknown): readonly string[] {
  return ((warnings ?? []) as { message: string }[]).map(({ message }) => message)
}
