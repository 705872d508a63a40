import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import type { Operation } from '../../core/operation.ts'
import type { Dialect } from '../../dialects/dialect.ts'

/**
 * Runs a call of a dialect that keeps its data in a file: what was edited there is read first, and what the call changes
 * is written there. A task is not changed while the file cannot be read; other calls only log that.
 */
export async function inStep<T>(
  loadSync: NonNullable<Dialect['loadSync']>,
  context: Context,
  operation: Operation,
  work: () => Promise<T>,
): Promise<T> {
  if (context.access.readOnly) return await work()
  const sync = await loadSync()
  const isChange = operation.effect !== 'read' && operation.name.startsWith('task.')
  await run(context, sync, isChange)
  const result = await work()
  if (isChange) await run(context, sync, false)
  return result
}

async function run(context: Context, sync: Operation, isNeeded: boolean): Promise<void> {
  const { name, surface } = context.agent
  const { idempotencyKey: _key, tell: _tell, ...rest } = context
  try {
    // Not an act of the agent: it neither joins nor is seen by it.
    await execute({ ...rest, agent: { name, surface } }, sync, {})
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (isNeeded && error.code !== 'forbidden') throw error
    context.logger.warn(`${sync.name} failed`, { code: error.code, message: error.message })
  }
}
