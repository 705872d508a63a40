import { isPerson } from '../agent/agent.ts'
import type { Agent, Context } from './context.ts'
import { Failure } from './error.ts'
import { fieldOf, withoutKey } from './idempotency.ts'
import type { Operation } from './operation.ts'
import type { Store } from './store/store.ts'
import type { TeamCopy } from '../sync/transfer/copy.ts'
import type { Delivered } from '../sync/transfer/deliver.ts'
import type { QueuedCall } from '../sync/transfer/outbox.ts'

/** The team server that a clone has joined. */
export interface Remote {
  /** Where it is, for messages. */
  readonly url: string
  /** Name of the project there. */
  readonly project: string
  call(call: RemoteCall): Promise<unknown>
  /** What the clone has kept of it, for reads while it cannot be reached. */
  openCopy(): Promise<TeamCopy | undefined>
  /** Keeps a write until it can be reached. */
  enqueue(call: QueuedCall): Promise<void>
  /** Sends what was kept. Undefined where there was nothing. */
  deliver(signal: AbortSignal): Promise<Delivered | undefined>
  /** `event.stream` of the server, as it comes. */
  follow(query: string, options: FollowOptions): Promise<AsyncIterable<string>>
}

interface FollowOptions {
  /** The last event that the client has. */
  readonly lastEventId: string | null
  readonly signal: AbortSignal
}

export interface RemoteCall {
  readonly operation: string
  readonly input: unknown
  /** Tells agents of one token apart. */
  readonly agent: string | undefined
  /** The person calls, and not an agent. */
  readonly isPerson?: boolean
  /** Of every write: a call whose answer was lost is sent again. */
  readonly idempotencyKey: string | undefined
  readonly signal: AbortSignal
}

/** About paths of this clone, which ask the server for what they need. */
const LOCAL_OPERATIONS: ReadonlySet<string> = new Set(['task.check_edit'])

/** About the code, the Git refs and the store of this clone. */
const LOCAL: ReadonlySet<string> = new Set([
  'code',
  'hook',
  'sync',
  'store',
  'cache',
  'job',
  'health',
])

/** Between the store and files of this clone, which on a team server have nothing to do with each other. */
const NOT_JOINED: ReadonlySet<string> = new Set(['backup', 'exchange', 'snapshot', 'spec'])

/** Whether an operation of a clone that has joined a server runs there. */
export function isRemote({ name }: Pick<Operation, 'name'>): boolean {
  return !LOCAL.has(nounOf(name)) && !LOCAL_OPERATIONS.has(name)
}

/** Runs an operation on the team server. While that cannot be reached, a read is answered from the copy of the clone. */
export async function runRemotely(
  context: Context,
  operation: Operation,
  call: { readonly rawInput: unknown; readonly readCopy: (store: Store) => Promise<unknown> },
): Promise<unknown> {
  const { remote, agent, signal } = context
  const { name, effect } = operation
  const { rawInput } = call
  if (remote === undefined) throw new Failure('internal', 'this clone has joined no server')
  if (NOT_JOINED.has(nounOf(name)) || readsFile(name, rawInput)) {
    const message = `${name} works on files of a clone, and this one keeps its knowledge at ${remote.url}`
    throw new Failure('forbidden', message, { details: { reason: 'joined' } })
  }
  const key = effect === 'read' ? undefined : keyOf(context, rawInput)
  const input = withoutKey(rawInput)
  const sent = { operation: name, input, agent: remoteName(agent), isPerson: isPerson(agent) }
  try {
    const delivered = await remote.deliver(signal)
    if (delivered !== undefined && delivered.sent + delivered.refused.length > 0)
      context.tell?.({ how: 'delivered', ...delivered })
    return await remote.call({ ...sent, idempotencyKey: key, signal })
  } catch (error) {
    if (!isOffline(error)) throw error
    if (key === undefined) return await readOffline(context, remote, { name, error, ...call })
    const { mayWait } = await import('../sync/transfer/outbox.ts')
    if (!mayWait(name, input)) throw error
    await remote.enqueue({ ...sent, idempotencyKey: key })
    const message = `queued: ${remote.url} cannot be reached, so this waits here and is sent once with the next call that reaches it; do not repeat it`
    throw new Failure('queued', message, { details: { reason: 'offline', key } })
  }
}

/** Not part of the copy: what agents say and do at the moment. */
const NOT_COPIED: ReadonlySet<string> = new Set(['agent', 'artifact', 'event', 'lane', 'message'])

async function readOffline(
  context: Context,
  remote: Remote,
  offline: {
    readonly name: string
    readonly error: Failure
    readonly readCopy: (store: Store) => Promise<unknown>
  },
): Promise<unknown> {
  if (NOT_COPIED.has(nounOf(offline.name))) throw offline.error
  await using copy = await remote.openCopy()
  if (copy === undefined) throw offline.error
  context.tell?.({ how: 'offline', url: remote.url, ageMs: context.now() - copy.at })
  return await offline.readCopy(copy.store)
}

function isOffline(error: unknown): error is Failure {
  return error instanceof Failure && error.details.reason === 'offline'
}

function keyOf(context: Context, rawInput: unknown): string {
  const key = context.idempotencyKey ?? fieldOf(rawInput, 'idempotency_key')
  return typeof key === 'string' ? key : context.newId()
}

/** What tells this agent from others of the same token; undefined for the member itself. */
export function remoteName({ id, assumed, host, name }: Agent): string | undefined {
  return id ?? (assumed === true ? host : (name ?? undefined))
}

/** A path is one of this machine; the server would look for it on its own. */
function readsFile(name: string, input: unknown): boolean {
  if (name === 'artifact.get' || name === 'task.import') return true
  return name === 'artifact.add' && fieldOf(input, 'path') !== undefined
}

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}
