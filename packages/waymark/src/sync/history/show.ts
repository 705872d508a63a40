import {
  BLANK,
  type Block,
  countOf,
  type Line,
  line,
  own,
  paragraphs,
  when,
} from '../../core/show.ts'
import { showPriority } from '../../entity/status-color.ts'
import { label } from '../../entity/view.ts'
import { toVisible } from '../../support/text/visible-text.ts'
import type { EntryView } from './view.ts'

/** The changes of one entity, newest first. */
export function showChanges({
  changes,
  total,
}: {
  readonly changes: readonly EntryView[]
  readonly total: number
}): readonly Block[] {
  return [
    ...(changes.length === 0 ? [BLANK] : paragraphs(changes.map(showEntry))),
    ...countOf(changes.length, total),
  ]
}

function showEntry({ version, at, by, changes }: EntryView): readonly Line[] {
  return [line`${version}  ${when(at)}  ${by ?? own('unknown')}`, ...changes.flatMap(showChange)]
}

type FieldChange = EntryView['changes'][number]

/** A field as commands and answers name it, without the place where it is stored; an id as short as one can be typed. */
export function fieldName(field: string): string {
  return field.replace(/^properties\./, '').replace(/(?<= [\da-f]{7})[\da-f-]{29}$/, '')
}

export function showChange({ field, target, from, to }: FieldChange): readonly Line[] {
  const name = fieldName(field)
  if (target !== undefined) {
    const relation = name.split(' ').slice(0, 2).join(' ')
    return [line`   ${relation} ${label(target)}: ${own(to === undefined ? 'removed' : 'added')}`]
  }
  const [start, show] = [[line`   ${name}: `], (value: unknown) => showValue(name, value)]
  if (from === undefined) return inSequence([start, show(to)])
  if (to === undefined) return inSequence([start, [line`removed (was `], show(from), [line`)`]])
  return inSequence([start, show(from), [line` → `], show(to)])
}

/** A long text as several lines, indented from the second on. */
function showValue(name: string, value: unknown): readonly Line[] {
  if (name === 'priority' && typeof value === 'number') return [showPriority(value)]
  if (typeof value !== 'string') return [line`${JSON.stringify(value)}`]
  const lines = toVisible(value).trimEnd().replaceAll('\t', '    ').split('\n')
  return lines.map((text, at) => (at === 0 ? line`${text}` : line`      ${text}`))
}

/** Texts one after the other: each starts on the line where the one before it ends. */
function inSequence(texts: readonly (readonly Line[])[]): readonly Line[] {
  return texts.reduce((before, [first = [], ...rest]) => [
    ...before.slice(0, -1),
    [...(before.at(-1) ?? []), ...first],
    ...rest,
  ])
}
