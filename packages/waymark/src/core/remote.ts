import type { Context } from './context.ts'
import { Failure } from './error.ts'
import { fieldOf, withoutKey } from './idempotency.ts'
import type { Operation } from './operation.ts'

/** The team server that a clone has joined. */
export interface Remote {
  /** Where it is, for messages. */
  readonly url: string
  call(call: RemoteCall): Promise<unknown>
}

interface RemoteCall {
  readonly operation: string
  readonly input: unknown
  /** Tells agents of one token apart. */
  readonly agent: string | undefined
  /** Of every write: a call whose answer was lost is sent again. */
  readonly idempotencyKey: string | undefined
  readonly signal: AbortSignal
}

/** About the code, the Git refs and the store of this clone. */
const LOCAL: ReadonlySet<string> = new Set(['code', 'hook', 'sync', 'store', 'cache'])

/** Between the store and files of this clone, which on a team server have nothing to do with each other. */
const NOT_JOINED: ReadonlySet<string> = new Set(['backup', 'exchange', 'snapshot', 'spec'])

export function isRemote({ remote }: Pick<Context, 'remote'>, { name }: Pick<Operation, 'name'>) {
  return remote !== undefined && !LOCAL.has(nounOf(name))
}

/** Runs an operation on the team server. */
export async function runRemotely(
  context: Context,
  { name, effect }: Operation,
  rawInput: unknown,
): Promise<unknown> {
  const { remote, agent, idempotencyKey, signal } = context
  if (remote === undefined) throw new Failure('internal', 'this clone has joined no server')
  if (NOT_JOINED.has(nounOf(name)) || readsFile(name, rawInput)) {
    const message = `${name} works on files of a clone, and this one keeps its knowledge at ${remote.url}`
    throw new Failure('forbidden', message, { details: { reason: 'joined' } })
  }
  const key = idempotencyKey ?? fieldOf(rawInput, 'idempotency_key')
  return await remote.call({
    operation: name,
    input: withoutKey(rawInput),
    agent: agent.id ?? (agent.assumed === true ? agent.host : (agent.name ?? undefined)),
    idempotencyKey: effect === 'read' ? undefined : typeof key === 'string' ? key : context.newId(),
    signal,
  })
}

/** A path is one of this machine; the server would look for it on its own. */
function readsFile(name: string, input: unknown): boolean {
  if (name === 'artifact.get' || name === 'task.import') return true
  return name === 'artifact.add' && fieldOf(input, 'path') !== undefined
}

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}
