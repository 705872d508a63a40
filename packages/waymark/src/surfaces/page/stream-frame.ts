import type { ReadContext } from '../../core/context.ts'
import type { EventRow } from '../../event/store.ts'
import { CARD_COLUMNS, type CardRow, toCardRow } from '../../task/board/card.ts'
import { withIds } from '../../task/board/card-store.ts'
import { withQuestions } from '../../task/board/questions.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** More tasks than this are not sent as rows: the client loads the board anew. */
const MOST_TASKS = 2000

/** Events of leases that change nothing but a time, of which the row tells. */
const ABOUT_TASKS = /^(?:task|lease|entity|relation|message)\./

/** `[id, type, at, agent id, agent, number or id of the subject, title]` */
type EventTuple = readonly [
  number,
  string,
  number,
  string | null,
  string | null,
  number | string,
  string | null,
]

export interface StreamFrame {
  readonly events: readonly EventTuple[]
  readonly columns?: readonly string[]
  /** The present rows of the tasks that the events have touched. */
  readonly tasks?: readonly CardRow[]
  /** Numbers of tasks that are deleted. */
  readonly removed?: readonly number[]
  readonly totals?: Readonly<Record<string, number>>
}

/** A frame for events, with rows in their newest form; undefined where there are too many. */
export async function toFrame(
  context: ReadContext,
  { events, wantsTasks }: { readonly events: readonly EventRow[]; readonly wantsTasks: boolean },
): Promise<StreamFrame | undefined> {
  const frame = { events: events.map(toTuple) }
  const ids = wantsTasks ? subjectsOf(events) : []
  if (ids.length === 0) return frame
  const { tasks } = context.store
  const affected = await tasks.affected(ids, MOST_TASKS + 1)
  if (affected.length > MOST_TASKS) return undefined
  const now = await context.store.now(context)
  const condition = withIds(affected)
  const found = await tasks.cards({ condition, now, limit: affected.length })
  const cards = await withQuestions(context, found)
  if (cards.length === 0 && !events.some(isDeletion)) return frame
  const present = new Set(cards.map(({ number }) => number))
  const removed = events.filter(isDeletion).flatMap(({ data: { number } }) => Number(number))
  return {
    ...frame,
    columns: CARD_COLUMNS,
    tasks: cards.map((card) => toCardRow(card)),
    ...(removed.length > 0 && { removed: removed.filter((number) => !present.has(number)) }),
    totals: await tasks.countColumns(now),
  }
}

function isDeletion({ type, data }: EventRow): boolean {
  return type === 'entity.deleted' && typeof data['number'] === 'number'
}

/** Ids of the entities that the events are about. */
function subjectsOf(events: readonly EventRow[]): readonly EntityId[] {
  const ids = events
    .filter(({ type }) => ABOUT_TASKS.test(type))
    .flatMap(({ subject, data: { target, task_id } }) => [subject, target, task_id])
  return [...new Set(ids)].filter((id) => typeof id === 'string').map(toEntityId)
}

function toTuple({ id, type, at, agent, agentId, subject, data }: EventRow): EventTuple {
  const { number, title, name } = data
  // A lease is lost by its holder, whichever process has found out.
  const holder = type === 'lease.expired' ? data['agent_id'] : data['holder']
  const isLost = type.startsWith('lease.') && typeof holder === 'string'
  const about = typeof number === 'number' ? number : subject
  const words = [title, name].find((text) => typeof text === 'string')
  const who = isLost ? ([holder, null] as const) : ([agentId ?? null, agent] as const)
  return [id, type, at, ...who, about, typeof words === 'string' ? words : null]
}
