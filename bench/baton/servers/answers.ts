/** What every contender's tools answer, so that all of them send the same bytes. */
const ROWS: Row[] = Array.from({ length: 85 }, (_, index) => ({
  key: `row-${String(index).padStart(3, '0')}`,
  title: 'a row of the kind that lists are made of',
  owner: `agent-${index % 7}`,
  count: index * 37,
  share: index / 128,
  open: index % 3 === 0,
}))

interface Row {
  readonly key: string
  readonly title: string
  readonly owner: string
  readonly count: number
  readonly share: number
  readonly open: boolean
}

export const SERVER_INFO = { name: 'bench', version: '1.0.0' }

export function echo(text: string): { content: { type: 'text'; text: string }[] } {
  return { content: [{ type: 'text', text }] }
}

export function big(): {
  content: { type: 'text'; text: string }[]
  structuredContent: { rows: Row[] }
} {
  return { content: [{ type: 'text', text: 'ok' }], structuredContent: { rows: ROWS } }
}
