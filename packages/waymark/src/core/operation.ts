import type * as z from 'zod'
import type { Context, ReadContext } from './context.ts'
import type { Area } from './noun.ts'
import type { Block } from './show.ts'

type Effect = 'read' | 'write' | 'delete'

/** A read gets a store without write methods. */
type ContextOf<E extends Effect> = E extends 'read' ? ReadContext : Context

/**
 * One thing Waymark can do, described once. Tools, commands and routes are spelled from it:
 * `entity.create` is the tool `entity_create`, the command `waymark entity create` and the route `POST /api/entity.create`.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  E extends Effect = Effect,
> {
  readonly name: `${string}.${string}`
  /** Tool description, line in `--help` and row in the docs. */
  readonly summary: string
  /** Arguments of one call on the command line, for `--help`. */
  readonly example: string
  /** Texts for the flags that switch a boolean field off, such as `--no-push`. */
  readonly off?: { readonly [Field in keyof z.input<Input> & string]?: string }
  readonly effect: E
  /** A write that may delete: whether this input does, or true where that is unknown before it runs. */
  readonly mayDelete?: true | ((input: Readonly<Record<string, unknown>>) => boolean)
  /** A write that, repeated with the same input, changes nothing more: it says so or is refused. */
  readonly idempotent?: true
  /** The areas of access where they are not those of the noun, by the value of a field. */
  readonly areasBy?: AreasBy<keyof z.output<Input> & string>
  readonly input: Input
  readonly output: Output
  /** Fields that the command line takes without a flag, in this order. */
  readonly positional?: readonly (keyof z.input<Input> & string)[]
  /** The result depends on the caller, so the command line looks up its user also for a read. */
  readonly personal?: true
  /** CPU-bound, so a server runs it in a worker thread; `operation-worker.ts` must list it. */
  readonly isHeavy?: true
  /** It contacts the remote that grants claims itself, so its answer does not wait until ended leases are published. */
  readonly settlesClaims?: true
  /** Of a list that comes in pages: how `--all` of the command line gets the rest. */
  readonly pages?: Pages<Input, Output>
  run(context: ContextOf<E>, input: z.output<Input>): Promise<z.input<Output>>
  /** The output for a reader. */
  show(output: z.output<Output>): readonly Block[]
  /** The output for a model, where it differs: short references, no tables, stored titles in quotes. */
  showToAgent?(output: z.output<Output>): readonly Block[]
}

interface AreasBy<Field extends string> {
  readonly field: Field
  readonly areas: Readonly<Record<string, readonly Area[]>>
}

interface Pages<Input extends z.ZodObject, Output extends z.ZodType> {
  /** What the input of the next page has instead of that of this one; undefined behind the last. */
  next(page: z.output<Output>): Partial<z.input<Input>> | undefined
  join(before: z.output<Output>, page: z.output<Output>): z.output<Output>
}

/** Whether hosts should ask for confirmation before the call. */
export function isDestructive({ effect, mayDelete }: Pick<Operation, 'effect' | 'mayDelete'>) {
  return effect === 'delete' || mayDelete !== undefined
}

/** Whether hosts may send the call again when they do not know that it arrived. */
export function isIdempotent({ effect, idempotent }: Pick<Operation, 'effect' | 'idempotent'>) {
  return effect === 'read' || idempotent === true
}

/** Whether this very input deletes something, as far as can be told. */
export function deletes(
  { effect, mayDelete }: Pick<Operation, 'effect' | 'mayDelete'>,
  input: Readonly<Record<string, unknown>>,
): boolean {
  return effect === 'delete' || (typeof mayDelete === 'function' && mayDelete(input))
}

/** Whether one of several steps deletes, as the caller wrote them. */
export function hasDeletion(steps: unknown, verb: string): boolean {
  const isDeletion = (step: unknown): boolean => {
    const word = (step as Readonly<Record<string, unknown>> | null)?.[verb]
    return typeof word === 'string' && word.trim().toLowerCase() === 'delete'
  }
  return Array.isArray(steps) && steps.some(isDeletion)
}

export function defineOperation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  E extends Effect,
>(operation: Operation<Input, Output, E>): Operation<Input, Output, E> {
  return operation
}
