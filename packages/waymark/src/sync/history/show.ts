import { BLANK, type Block, type Line, line, own, paragraphs } from '../../core/show.ts'
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
    ...(changes.length < total ? [line`${changes.length} of ${total}`] : []),
  ]
}

function showEntry({ version, at, by, changes }: EntryView): readonly Line[] {
  return [line`${version}  ${at}  ${by ?? own('unknown')}`, ...changes.flatMap(showChange)]
}

type FieldChange = EntryView['changes'][number]

function showChange({ field, from, to }: FieldChange): readonly Line[] {
  const name = [line`   ${field}: `]
  if (from === undefined) return inSequence([name, showValue(to)])
  if (to === undefined) {
    return inSequence([name, [line`removed (was `], showValue(from), [line`)`]])
  }
  return inSequence([name, showValue(from), [line` → `], showValue(to)])
}

/** A long text as several lines, indented from the second on. */
function showValue(value: FieldChange['from']): readonly Line[] {
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
