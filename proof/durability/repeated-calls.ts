import type { Random } from '../../packages/baton/test/support/random.ts'
import { Connection } from '@waymark/sqlite'
import { toStoredSubject, toStoredType } from '../../packages/waymark/src/event/event-record.ts'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'
import { git } from './acknowledgement.ts'

/** A change that is asked for twice under the same key. */
export interface RepeatedCall {
  readonly kind: Kind
  /** What it is called: the operation over HTTP, the tool over pipes. */
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

type Surface = 'http' | 'pipes'

/** Over pipes an agent is as old as its server: what it held it has lost with it, and cannot renew or complete. */
const KINDS = {
  http: ['create', 'message', 'artifact', 'take', 'renew', 'complete', 'note'],
  pipes: ['create', 'message', 'artifact', 'take', 'note'],
} as const satisfies Record<Surface, readonly string[]>

type Kind = (typeof KINDS)['http'][number]

/** Annotations go to Git, which takes long: a few will do. */
function likely(surface: Surface): readonly Kind[] {
  return KINDS[surface].flatMap((kind) =>
    Array.from({ length: kind === 'note' ? 1 : 8 }, (): Kind => kind),
  )
}

interface Preparation {
  readonly count: number
  readonly name: string
  readonly random: Random
  readonly surface: Surface
  /** Does an operation and answers its output: as whoever will make the calls, for what it holds is its own. */
  readonly act: (operation: string, input: object) => Promise<unknown>
}

/** Makes so many calls of all kinds, and the tasks that they are about. */
export async function prepareCalls(preparation: Preparation): Promise<RepeatedCall[]> {
  const { count, name, random, surface, act } = preparation
  const kinds = likely(surface)
  const calls: RepeatedCall[] = []
  for (let n = 0; n < count; n += 1) {
    const kind = random.pick(kinds)
    const text = `${kind} ${n} of ${name}.`
    const id = TASK_KINDS.has(kind) ? await createTask(preparation, text) : undefined
    // One that takes twice must find a second one.
    if (kind === 'take') await createTask(preparation, `${text} Once more.`)
    if (id !== undefined && kind !== 'take') await act('task.claim', { id })
    calls.push({ kind, ...(surface === 'http' ? toOperation(kind, text, id) : toTool(kind, text)) })
  }
  return calls
}

const TASK_KINDS: ReadonlySet<Kind> = new Set(['take', 'renew', 'complete'])

async function createTask({ act }: Preparation, title: string): Promise<string> {
  const { task } = (await act('task.create', { title })) as { task: { id: string } }
  return task.id
}

type Named = Omit<RepeatedCall, 'kind'>

function toOperation(kind: Kind, text: string, id?: string): Named {
  const key = { idempotency_key: text }
  switch (kind) {
    case 'create':
      return { name: 'entity.create', input: { type: 'note', title: text, ...key } }
    case 'message':
      return { name: 'message.send', input: { body: text, ...key } }
    case 'artifact':
      return { name: 'artifact.add', input: { text, name: text, ...key } }
    case 'take':
      return { name: 'task.take', input: { ...key } }
    case 'renew':
      return { name: 'task.renew', input: { id, ...key } }
    case 'complete':
      return { name: 'task.complete', input: { id, ...key } }
    case 'note':
      return { name: 'code.annotate', input: { summary: text, ...key } }
  }
}

function toTool(kind: Kind, text: string): Named {
  const { name, input } = toOperation(kind, text)
  if (kind === 'take') return { name: 'task_next', input: { ...input, claim: true } }
  return { name: kind === 'note' ? 'annotate' : name.replace('.', '_'), input }
}

export interface Effects {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

/** Which acknowledged calls have had no effect, and which calls more than one. */
export function countEffects(
  directory: string,
  state: string,
  { made, acknowledged }: { made: readonly RepeatedCall[]; acknowledged: readonly RepeatedCall[] },
): Effects {
  const notes = git(directory, 'log', '--all', '--notes=*', '--format=%N')
  const connection = new Connection(databasePath(state), 'read')
  try {
    const count = (sql: string, value: unknown): number =>
      connection.get<{ count: number }>(`SELECT count(*) AS count FROM ${sql}`, String(value))
        ?.count ?? 0
    // Types and ids are stored in a short form.
    const countEvents = (type: string, id: unknown): number =>
      count(
        `event WHERE type = '${toStoredType(type)}' AND subject = ?`,
        toStoredSubject(String(id)),
      )
    const timesOf = ({ kind, input }: RepeatedCall): number => {
      switch (kind) {
        case 'create':
          return count('entity WHERE title = ?', input['title'])
        case 'message':
          return count('message WHERE body = ?', input['body'])
        case 'artifact':
          return count('artifact WHERE name = ?', input['name'])
        case 'renew':
          return countEvents('task.renewed', input['id'])
        case 'complete':
          return countEvents('task.done', input['id'])
        case 'note':
          return notes.split(String(input['summary'])).length - 1
        case 'take':
          return 1
      }
    }
    const known = new Set(acknowledged)
    const times = made.map((call) => ({
      text: JSON.stringify(call),
      isAcknowledged: known.has(call),
      times: timesOf(call),
    }))
    // Which task a call takes is not known before: there must be a lease for each call, and none that nobody knows of.
    // A session that continues after a kill has the leases under the next fence.
    const taken = count(
      `lease WHERE agent_id IS NOT NULL AND fence - inherited = 1
        AND task_id IN (SELECT id FROM entity WHERE title GLOB ?)`,
      'take *',
    )
    const isTake = ({ kind }: RepeatedCall): boolean => kind === 'take'
    const leases = `${taken} leases of ${made.filter(isTake).length} calls`
    return {
      lost: [
        ...times.filter((each) => each.isAcknowledged && each.times === 0).map(({ text }) => text),
        ...(taken < acknowledged.filter(isTake).length ? [leases] : []),
      ],
      doubled: [
        ...times.filter((each) => each.times > 1).map(({ text }) => text),
        ...(taken > made.filter(isTake).length ? [leases] : []),
      ],
    }
  } finally {
    connection.close()
  }
}
