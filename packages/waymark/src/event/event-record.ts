import type { SqlValue, Stored } from '../core/store/sql.ts'
import { parseStored } from '../core/store/stored-json.ts'
import { toAgentId } from '../agent/agent.ts'
import type { EventRow } from './store.ts'

/*
 * Of everything in a store events are the most, so what nearly all of them say is written shortly: their types, the ids
 * of entities, and the names of the facts about those.
 */

export type EventRecord = Stored<EventRow, 'data'>

/** The most frequent types. Never changed: rows have them. */
const STORED_TYPES = new Map(
  Object.entries({
    'agent.heartbeat': 'ah',
    'entity.created': 'ec',
    'entity.updated': 'eu',
    'message.sent': 'ms',
    'relation.created': 'rc',
    'task.claimed': 'tc',
    'task.done': 'td',
    'task.released': 'tr',
    'task.renewed': 'tn',
    'task.updated': 'tu',
  }),
)
const TYPES_BY_STORED = new Map([...STORED_TYPES].map(([type, stored]) => [stored, type]))

export function toStoredType(type: string): string {
  return STORED_TYPES.get(type) ?? type
}

export function fromStoredType(stored: string): string {
  return TYPES_BY_STORED.get(stored) ?? stored
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** No other id begins with it. */
const SHORT = '~'
const SHORT_UUID = /^~[\w-]{22}$/

/** An id of an entity in 23 letters instead of 36. */
export function toStoredSubject(subject: string): string {
  if (!UUID.test(subject)) return subject
  return SHORT + Buffer.from(subject.replaceAll('-', ''), 'hex').toString('base64url')
}

export function fromStoredSubject(stored: string): string {
  if (!SHORT_UUID.test(stored)) return stored
  const digits = Buffer.from(stored.slice(SHORT.length), 'base64url').toString('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Letters of a subject in the index: enough to tell one from the next. */
const INDEXED = 6

/** Events about one of these, by the index of their subjects. Events before schema 29 have ids of entities in full. */
export function aboutSubjects(subjects: readonly string[]): {
  readonly condition: string
  readonly values: readonly SqlValue[]
} {
  const forms = [...new Set(subjects.flatMap((subject) => [toStoredSubject(subject), subject]))]
  const starts = [...new Set(forms.map((form) => Array.from(form).slice(0, INDEXED).join('')))]
  return {
    condition: `substr(subject, 1, ${INDEXED}) IN (${marks(starts)}) AND subject IN (${marks(forms)})`,
    values: [...starts, ...forms],
  }
}

/** What nearly every event says of an entity, in this order. */
const FACTS = ['type', 'number', 'title', 'revision', 'status'] as const
/** Their values, and the id of the agent, beside the other facts. No fact has a name of one letter. */
const [VALUES, AGENT_ID] = ['e', 'a'] as const
/** As events before schema 29 have it. */
const FORMER_AGENT_ID = '_agent_id'

/** Where the id of its agent may stand in an event. */
export const AGENT_IDS = [`data ->> '$.${AGENT_ID}'`, `data ->> '$.${FORMER_AGENT_ID}'`]

export function toStoredData(data: EventRow['data'], agentId: string | undefined): string {
  if (FACTS.some((name) => data[name] === undefined && name !== 'status'))
    return JSON.stringify({ ...data, [AGENT_ID]: agentId })
  const { type, number, title, revision, status, ...others } = data
  const values = [type, number, title, revision, ...(status === undefined ? [] : [status])]
  return JSON.stringify({ [VALUES]: values, ...others, [AGENT_ID]: agentId })
}

export function toEvent(record: EventRecord): EventRow {
  const stored = parseStored<Record<string, unknown>>(record.data, `event ${record.id}`)
  const {
    [VALUES]: values,
    [FORMER_AGENT_ID]: formerId,
    [AGENT_ID]: agentId = formerId,
    ...others
  } = stored
  const facts = Array.isArray(values) ? values.map((value, at) => [FACTS[at] ?? '', value]) : []
  return {
    ...record,
    type: fromStoredType(record.type),
    subject: fromStoredSubject(record.subject),
    ...(typeof agentId === 'string' && { agentId: toAgentId(agentId) }),
    data: { ...Object.fromEntries(facts), ...others },
  }
}

export function marks(values: readonly string[]): string {
  return values.map(() => '?').join(', ')
}
