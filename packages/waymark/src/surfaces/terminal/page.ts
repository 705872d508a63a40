import { type Fields, isFields, plain } from './cells.ts'

export function page(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`
}

export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`**${title}**\n${lines.join('\n')}`]
}

export function place(file: unknown, anchor: unknown): string {
  return anchor === undefined || anchor === '' ? plain(file) : `${plain(file)} — ${plain(anchor)}`
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}
