import { batch, signal } from '@preact/signals'
import type { Output } from '../../api.ts'
import { call } from '../call.ts'
import { setServerTime } from './clock.ts'
import { type FeedEvent, pushEvents, setFeed } from './feed.ts'
import { keepCopy, readCopy } from './kept-copy.ts'
import { announce } from './refresh.ts'
import { type Row, toTask } from '../task/task-row.ts'
import { changedAt, putTask, removeTask, setTasks, taskCell, totals } from '../task/tasks.ts'

export type Connection = 'connecting' | 'live' | 'offline'

export const connection = signal<Connection>('connecting')

/** The id of the last event that is in the store. */
export const cursor = signal(0)

/** Whether the store holds anything yet. */
export const isLoaded = signal(false)

type EventRow = readonly [
  id: number,
  type: string,
  at: number,
  agentId: string | null,
  agent: string | null,
  subject: number | string | null,
  title?: string | null,
]

/** A frame of the stream: what happened, and the present rows of what it touched. */
export interface LiveFrame {
  readonly events?: readonly EventRow[]
  readonly columns?: readonly string[]
  readonly tasks?: readonly Row[]
  readonly removed?: readonly number[]
  readonly totals?: Readonly<Record<string, number>>
}

/** Names of the values in rows of tasks; they came with the snapshot. */
let columns: readonly string[] = []

type Snapshot = Output<'board.show'>

/** Shows the copy that this browser kept, so that a second visit starts at once. */
export async function showKeptCopy(): Promise<void> {
  const copy = (await readCopy()) as Snapshot | undefined
  if (copy !== undefined && !isLoaded.peek()) showSnapshot(copy)
}

/** Loads everything anew: on the first visit, or when too much was missed. */
export async function loadSnapshot(): Promise<void> {
  const snapshot = await call('board.show', {})
  setServerTime(snapshot.now)
  showSnapshot(snapshot)
  void keepCopy(snapshot)
  await loadRest()
}

/** What a snapshot of tasks does not hold: the latest events, and everything that listens for changes. */
export async function loadRest(): Promise<void> {
  const { events } = await call('event.list', { newest: true, limit: 200 })
  setFeed(events.map(toFeedEvent))
  announce('*')
}

function showSnapshot(snapshot: Snapshot): void {
  columns = snapshot.columns
  batch(() => {
    setTasks(snapshot.rows.map((row) => toTask(columns, row)))
    totals.value = snapshot.totals
    cursor.value = snapshot.cursor
    isLoaded.value = true
  })
}

/** Applies a frame. The same frame twice changes nothing: rows are states, and events have ids. */
export function applyFrame(id: number, frame: LiveFrame): void {
  if (id <= cursor.peek()) return
  const names = frame.columns ?? columns
  batch(() => {
    for (const row of frame.tasks ?? []) {
      const task = toTask(names, row)
      if (taskCell(task.number)?.peek().isGuess !== true) changedAt.set(task.number, Date.now())
      putTask(task)
    }
    for (const number of frame.removed ?? []) removeTask(number)
    if (frame.totals !== undefined) totals.value = frame.totals
    pushEvents((frame.events ?? []).map(fromRow))
    cursor.value = id
  })
  for (const [, type, , , , subject] of frame.events ?? []) announce(type, subject ?? undefined)
}

function fromRow([id, type, at, agentId, agent, subject, title]: EventRow): FeedEvent {
  return {
    id,
    type,
    at,
    agentId: agentId ?? undefined,
    agent: agent ?? undefined,
    subject: subject === null ? undefined : String(subject),
    title: title ?? undefined,
  }
}

export function toFeedEvent({
  id,
  type,
  at,
  agent,
  agent_id,
  subject,
  about,
  data,
}: ListedEvent): FeedEvent {
  const { title, number, name, summary } = data as {
    readonly number?: number
  } & Readonly<Record<'title' | 'name' | 'summary', string | undefined>>
  const holder = holderOf(type, data)
  return {
    id,
    type,
    at: Date.parse(at),
    agentId: holder ?? agent_id,
    agent: holder === undefined ? agent : undefined,
    subject: number === undefined ? subject : String(number),
    title: title ?? about ?? name ?? summary,
  }
}

/** A lease is lost by its holder, whichever process has found out. */
function holderOf(type: string, data: ListedEvent['data']): string | undefined {
  const holder = type === 'lease.expired' ? data['agent_id'] : data['holder']
  return type.startsWith('lease.') && typeof holder === 'string' ? holder : undefined
}

type ListedEvent = Output<'event.list'>['events'][number]
