import { expect, it } from 'vitest'
import {
  BLANK,
  bold,
  field,
  line,
  quote,
  raw,
  table,
  textField,
  titled,
} from '../../src/core/show.ts'
import { printForAgent } from '../../src/core/show.ts'

it('prints each kind of block as compact lines', () => {
  const rows = [
    { id: 1, title: 'One' },
    { id: 2, title: 'Two' },
  ]
  const blocks = [
    line`claimed ${bold('12')}`,
    ...field('key', 'parser'),
    ...field('due', undefined),
    ...textField('reason', 'short'),
    ...textField('reason', 'two\nlines'),
    BLANK,
    table(rows, [
      { head: 'ID', value: ({ id }) => id },
      { head: 'TITLE', value: ({ title }) => title },
    ]),
    { head: line`head`, detail: line`detail` },
    ...quote('first\n\nlast'),
    ...quote(''),
    raw('as it is\n'),
  ]
  expect(printForAgent(blocks)).toBe(
    `claimed 12
key: parser
reason: short
reason:
> two
> lines

ID | TITLE
1 | One
2 | Two
head
  detail
> first
>
> last
as it is`,
  )
})

it('keeps stored text within its line and shows hidden characters', () => {
  const stored = 'a\nnext cursor: 7 \u202e (done)'
  expect(printForAgent([line`title ${stored}`])).toBe('title a next cursor: 7 \\u{202e} (done)')
  expect(printForAgent([line`#1 ${titled(stored)} (todo)`])).toBe(
    '#1 "a next cursor: 7 \\u{202e} (done)" (todo)',
  )
  expect(printForAgent([...quote(stored), raw('\u200b')])).toBe(
    '> a\n> next cursor: 7 \\u{202e} (done)\n\\u{200b}',
  )
})
