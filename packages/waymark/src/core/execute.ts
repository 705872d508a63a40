import type * as z from 'zod'
import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { Context } from './context.ts'
import { isTimeUp } from '../support/deadline.ts'
import { describeLead } from '../support/text/duration.ts'
import { Failure } from './error.ts'
import { toFileFailure } from '../support/files/file-failure.ts'
import type { Operation } from './operation.ts'
import { parseExact, refuseDeep } from './input/parse.ts'
import { withIdempotency, withoutKey } from './idempotency.ts'
import { isRemote, runRemotely } from './remote.ts'
import type { Store } from './store/store.ts'
import { requiredScopes } from './scopes.ts'
import type { searchForSecrets } from '../secret/secrets.ts'
import { noteEnds, tellLostLeases } from '../task/lease/notices.ts'
import { noteCaller } from './upkeep/caller-seen.ts'
import { createUpkeep } from './upkeep/upkeep.ts'
import { identifyCaller } from '../agent/session/identify-caller.ts'

/** The only way to run an operation: keep secrets out, validate, authorise, trace, run, validate. */
export async function execute<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  rawInput: unknown,
): Promise<z.output<Output>> {
  try {
    refuseDeep(rawInput)
    // Before anything else looks at the input: an error about a field may repeat its value.
    if (operation.effect !== 'read') await keepSecretsOut(context, rawInput)
    const input = parseExact(operation.input, withoutKey(rawInput))
    authorise(context, operation, input)
    warnOfWrongClock(context)
    context.signal.throwIfAborted()
    if (context.remote !== undefined && isRemote(operation))
      return await runOnServer(await identifyCaller(context, operation, input), operation, {
        rawInput,
        input,
      })
    await context.hosted?.admit?.(operation.name, input)
    const identified = await identifyCaller(context, operation, input)
    const upkeep = createUpkeep(() => identified)
    const called = { ...withIdempotency(identified, operation, { rawInput, input }), upkeep }
    const output = await context.span(operation.name, () => runAndTell(called, operation, input))
    const answer = operation.output.parse(output)
    if (operation.effect === 'read') await noteCaller(called)
    else if (operation.settlesClaims !== true) await noteEnds(called)
    await upkeep.settle()
    return answer
  } catch (error) {
    throw toFailure(context, operation.name, error)
  }
}

async function runOnServer<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  { rawInput, input }: { readonly rawInput: unknown; readonly input: z.output<Input> },
): Promise<z.output<Output>> {
  const readCopy = async (store: Store): Promise<unknown> => {
    const { remote: _, ...rest } = context
    const alone: Context = { ...rest, store, access: { ...rest.access, readOnly: true } }
    return await runWith({ ...alone, upkeep: createUpkeep(() => alone) }, operation, input)
  }
  const given = await runRemotely(context, operation, { rawInput, readCopy })
  const answer = operation.output.safeParse(given)
  if (answer.success) return answer.data
  const message =
    'the team server answers in a form that this version does not know; update waymark'
  throw new Failure('storage_newer', message, { cause: answer.error })
}

/** Runs an operation and tells the caller which leases it has lost, also beside an error. */
async function runAndTell<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  input: z.output<Input>,
): Promise<unknown> {
  // Claims look after leases themselves, and reads have no transaction that could tell.
  const isChange = operation.effect !== 'read' && operation.settlesClaims !== true
  if (!isChange) await tellLostLeases(context)
  try {
    return await run(context, operation, input)
  } finally {
    await tellLostLeases(context).catch(() => undefined)
  }
}

function run<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  input: z.output<Input>,
): Promise<unknown> {
  const { offload, project } = context
  const isOffloaded = operation.isHeavy === true && project?.state !== undefined
  return isOffloaded && offload !== undefined
    ? offload(context, operation.name, input)
    : runWith(context, operation, input)
}

/** Runs an operation with what its effect allows: a read cannot reach the write methods of the store. */
export function runWith<Input extends z.ZodObject, Output extends z.ZodType>(
  context: Context,
  operation: Operation<Input, Output>,
  input: z.output<Input>,
): Promise<z.input<Output>> {
  const isRead = operation.effect === 'read'
  return operation.run(isRead ? { ...context, store: context.store.reader } : context, input)
}

/** Loaded with the first change: a read has nothing to store. */
let search: typeof searchForSecrets | undefined

async function keepSecretsOut(context: Context, rawInput: unknown): Promise<void> {
  search ??= (await import('../secret/secrets.ts')).searchForSecrets
  for (const _ of search(rawInput, context.allowedSecrets)) {
    await yieldToEventLoop(context.signal)
  }
}

function authorise({ access }: Context, operation: Operation, input: unknown): void {
  if (access.readOnly && operation.effect !== 'read') {
    throw new Failure('forbidden', `${operation.name} changes data and this server is read-only`, {
      details: { effect: operation.effect },
    })
  }
  const { scopes } = access
  if (scopes === undefined) return
  const needed = requiredScopes(operation, input)
  if (needed.every((scope) => scopes.has(scope))) return
  throw new Failure('forbidden', `${operation.name} needs the scope ${needed.join(' ')}`, {
    details: { reason: 'insufficient_scope', scopes: needed },
  })
}

/** Everything is dated by the machine's clock: a process that sees another time is told so. */
function warnOfWrongClock(context: Context): void {
  const error = context.clockError()
  if (error === 0) return
  context.logger.warn(
    `the clock of this process is ${describeLead(error)} the machine's, which is used`,
  )
}

function toFailure(context: Context, name: string, thrown: unknown): Failure {
  const error = firstOf(thrown)
  const { signal } = context
  // The operation sees only an abort; the signal's reason tells a timeout from a cancellation.
  if (signal.aborted && (!(error instanceof Failure) || error.code === 'cancelled')) {
    if (signal.reason instanceof Failure) return signal.reason
    return isTimeUp(signal)
      ? new Failure('timeout', `${name} took too long and was stopped`)
      : new Failure('cancelled', `${name} was cancelled`)
  }
  if (error instanceof Failure) return error
  const fileFailure = toFileFailure(error)
  if (fileFailure !== undefined) return fileFailure
  // Unexpected errors are logged and not returned: they may hold paths, SQL or stored text.
  context.logger.error('operation failed', { operation: name, error: thrown })
  return new Failure('internal', `${name} failed; the log has the reason`, { cause: thrown })
}

/** `using` wraps both errors in a SuppressedError; the original one is reported. */
function firstOf(error: unknown): unknown {
  let first = error
  while (first instanceof Error && first.name === 'SuppressedError' && 'suppressed' in first)
    first = first.suppressed
  return first
}
