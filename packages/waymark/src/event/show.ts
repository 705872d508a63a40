import { type Block, type Column, type Line, line, table } from '../core/show.ts'
import { label } from '../entity/show.ts'
import type { EventView } from './view.ts'

const COLUMNS: readonly Column<EventView>[] = [
  { head: 'ID', value: ({ id }) => id },
  { head: 'TIME', value: ({ at }) => at },
  { head: 'EVENT', value: ({ type }) => type },
  { head: 'BY', value: ({ agent }) => agent },
  { head: 'WHAT', value: showSubject },
]

export function showEvents({
  events,
  missed = false,
}: {
  readonly events: readonly EventView[]
  readonly missed?: boolean
}): readonly Block[] {
  return [
    ...(missed ? [line`older events were dropped`] : []),
    events.length === 0 ? line`nothing happened` : table(events, COLUMNS),
  ]
}

/** The entity, agent or message that the event is about; events carry different data by type. */
function showSubject({ subject, data: { number, title, name, to } }: EventView): Line {
  if (typeof number === 'number') {
    return label({ id: subject, number, title: typeof title === 'string' ? title : '' })
  }
  const recipient = typeof to === 'string' ? line` to ${to}` : undefined
  return line`${typeof name === 'string' ? name : subject}${recipient}`
}
