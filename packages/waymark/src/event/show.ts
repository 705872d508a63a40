import {
  type Block,
  type Column,
  joined,
  type Line,
  line,
  table,
  titled,
  when,
} from '../core/show.ts'
import { label } from '../entity/view.ts'
import type { EventView } from './view.ts'

const COLUMNS: readonly Column<EventView>[] = [
  { head: 'TIME', value: ({ at }) => when(at) },
  { head: 'WHAT', value: showSubject, isMain: true },
  { head: 'EVENT', value: ({ type }) => type },
  { head: 'BY', value: ({ agent }) => agent },
  { head: 'ID', value: ({ id }) => id },
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

/** Events for a model, one line each, then the cursor to go on from. */
export function showEventsToAgent({
  events,
  next_cursor,
  missed,
}: {
  readonly events: readonly EventView[]
  readonly next_cursor: number
  readonly missed: boolean
}): readonly Block[] {
  return [
    ...events.map(showEventToAgent),
    line`next cursor: ${next_cursor}`,
    ...(missed ? [line`older events were dropped: call brief`] : []),
  ]
}

function showEventToAgent({ id, at, type, subject, agent, data }: EventView): Line {
  const { number, title, message_id } = data
  const about = typeof message_id === 'number' ? message_id : subject
  return joined(
    [
      id,
      when(at),
      type,
      typeof number === 'number' ? line`#${number}` : line`${about}`,
      typeof title === 'string' ? titled(title) : undefined,
      agent === undefined ? undefined : line`by ${titled(agent)}`,
    ],
    ' ',
  )
}

/** The entity, agent or message that the event is about; events carry different data by type. */
export function showSubject({ subject, about, data }: EventView): Line {
  const { number, title, name, to } = data
  if (about !== undefined) return line`${about}`
  if (typeof number === 'number') {
    return label({ number, title: typeof title === 'string' ? title : '' })
  }
  const recipient = typeof to === 'string' ? line` to ${to}` : undefined
  return line`${typeof name === 'string' ? name : subject}${recipient}`
}
