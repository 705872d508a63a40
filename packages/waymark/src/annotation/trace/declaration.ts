import { isMentioned, leafOf, segmentsOf, type Unit } from '../anchor.ts'
import { sliceLines } from '../outline/lines.ts'

/** The beginning of the line that declares a unit, up to its name; undefined if that is the name alone. */
export function headOf(text: string, { name, lines }: Pick<Unit, 'name' | 'lines'>) {
  const leaf = leafOf(name)
  const line = sliceLines(text, lines)
    .split('\n')
    .find((each) => isMentioned(each, leaf))
    ?.trim()
  const at = line?.indexOf(leaf) ?? -1
  return line === undefined || at < 1 ? undefined : line.slice(0, at + leaf.length)
}

const WORD = /[\p{L}\p{N}_$]/u

/** Whether a text has the unit with this head; undefined if only a parser can tell. */
export function declares(text: string, head: string, name: string): boolean | undefined {
  if (segmentsOf(name).some((segment) => !isMentioned(text, segment))) return false
  for (let at = text.indexOf(head); at !== -1; at = text.indexOf(head, at + 1)) {
    const isFirst = text.slice(text.lastIndexOf('\n', at) + 1, at).trim() === ''
    if (isFirst && !WORD.test(text.charAt(at + head.length))) return true
  }
  return undefined
}
