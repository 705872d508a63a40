import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { Failure, type FailureCode, FAILURES, toFailureReport } from '../core/error.ts'
import { defineOperation, hasDeletion } from '../core/operation.ts'
import { parse, parseExact, violation } from '../core/input/parse.ts'
import { documentedAs, oneOf, toJsonSchema } from '../core/input/schema.ts'
import { createEntity, deleteEntity, updateEntity } from './operations.ts'
import { type Block, line } from '../core/show.ts'

type Fields = Readonly<Record<string, unknown>>

type Step = (context: Context, given: Fields) => Promise<{ readonly id: string }>

const STEPS: Readonly<Record<'create' | 'update' | 'delete', Step>> = {
  create: (context, given) => createEntity.run(context, parseExact(createEntity.input, given)),
  update: (context, given) =>
    updateEntity.run(context, parseExact(updateEntity.input, withoutType(given))),
  delete: (context, given) =>
    deleteEntity.run(context, parseExact(deleteEntity.input, withoutType(given))),
}

/** Every step has a type; for steps with an id it is redundant. */
function withoutType(given: Fields): Fields {
  const { type: _, ...fields } = given
  return fields
}

const op = oneOf(['create', 'update', 'delete']).describe('What to do')

// Which fields a step needs depends on what it does, so they are checked there and only described here.
const step = documentedAs(z.looseObject({}), () => {
  const { properties = {} } = toJsonSchema(
    updateEntity.input
      .omit({ force: true, reason: true, expected_revision: true })
      .extend({ op, type: createEntity.input.shape.type }),
  )
  return { properties, required: ['op'] }
})

const outcome = z.object({
  index: z.int(),
  success: z.boolean(),
  id: z.string().optional(),
  error: z
    .object({
      code: z.enum(Object.keys(FAILURES) as [FailureCode, ...FailureCode[]]),
      message: z.string(),
      retryable: z.boolean(),
      details: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
})
export type Outcome = z.output<typeof outcome>

const outcomes = z.object({ results: z.array(outcome), succeeded: z.int(), failed: z.int() })

export const batchEntities = defineOperation({
  name: 'entity.batch',
  summary: 'Create, update and delete several entities in order; a step that fails stops no other',
  example: `--operation '{"op":"create","type":"note","title":"Tests need Docker"}'`,
  effect: 'write',
  mayDelete: ({ operations }) => hasDeletion(operations, 'op'),
  input: z.object({
    operations: z.array(step).describe('Steps: op and the fields that entity.<op> takes'),
  }),
  output: outcomes,
  async run(context, { operations }) {
    const { maxBatchSize: max } = context
    if (operations.length > max) {
      throw violation('operations', 'too_many', `must have at most ${max} items`, {
        max,
        actual: operations.length,
      })
    }
    // All writes are queued at once. They run in order, each seeing the one before, and queued writes share one flush to
    // disk (group commit).
    const results = await Promise.all(
      operations.map((given, index) => attempt(stepContext(context, index), given, index)),
    )
    const succeeded = results.filter(({ success }) => success).length
    // An abort error makes the caller repeat the whole batch, so throw it only if no step was applied.
    if (succeeded === 0) context.signal.throwIfAborted()
    return { results, succeeded, failed: results.length - succeeded }
  },
  show: showOutcomes,
})

function showOutcomes({ results, succeeded, failed }: z.output<typeof outcomes>): readonly Block[] {
  return [
    ...results.map(({ index, success, id, error }) =>
      success ? line`${index} ok ${id}` : line`${index} failed: ${error?.message}`,
    ),
    line`${succeeded} done, ${failed} failed`,
  ]
}

/**
 * Each step has its own idempotency key, so that a retried batch repeats no step, and its own signal, because Node warns
 * about a leak when one signal has many listeners.
 */
function stepContext(context: Context, index: number): Context {
  const signal = AbortSignal.any([context.signal])
  const { repeatable } = context
  if (repeatable === undefined) return { ...context, signal }
  return { ...context, signal, repeatable: { ...repeatable, key: `${repeatable.key}#${index}` } }
}

async function attempt(context: Context, given: Fields, index: number): Promise<Outcome> {
  try {
    const { op: _, ...fields } = given
    const { op: name } = parse(z.object({ op }), given)
    const { id } = await STEPS[name](context, fields)
    return { index, success: true, id }
  } catch (error) {
    return { index, success: false, error: toFailureReport(toFailure(context, index, error)) }
  }
}

function toFailure({ signal, logger }: Context, index: number, error: unknown): Failure {
  if (error instanceof Failure) return error
  if (signal.aborted) return new Failure('cancelled', 'cancelled before anything was written')
  logger.error('a step of a batch failed', { index, error })
  return new Failure('internal', 'failed; the log has the reason')
}
