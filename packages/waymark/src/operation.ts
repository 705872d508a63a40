import type * as z from 'zod'
import type { Context } from './context.ts'

type Effect = 'read' | 'write' | 'delete'

/**
 * One thing Waymark can do, described once. Tools, commands and routes are spelled from it:
 * `entity.create` is the tool `entity_create`, the command `waymark entity create` and the route `POST /api/entity.create`.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: `${string}.${string}`
  /** Tool description, line in `--help` and row in the docs. */
  readonly summary: string
  readonly effect: Effect
  readonly input: Input
  readonly output: Output
  /** Fields that the command line takes without a flag, in this order. */
  readonly positional?: readonly (keyof z.input<Input> & string)[]
  /** The answer depends on who asks, so whoever is at a terminal is looked up even though nothing is written. */
  readonly personal?: true
  run(context: Context, input: z.output<Input>): Promise<z.input<Output>>
}

export function defineOperation<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation
}
