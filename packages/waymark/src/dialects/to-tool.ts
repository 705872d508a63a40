import type { Tool } from '@waymark/baton'
import type * as z from 'zod'
import { isDestructive, isIdempotent, type Operation } from '../core/operation.ts'
import { type JsonSchema, toJsonSchema } from '../core/input/schema.ts'
import type { DialectTool } from './dialect.ts'
import { once } from '../support/once.ts'

export interface ToolText {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Shape of the result, where the dialect promises one. */
  readonly output?: z.ZodType
  /** Shape of an error, where the dialect returns it as a result: clients validate errors with the same schema. */
  readonly error?: z.ZodType
}

/** A tool that is one operation under the names and shapes of a specification. */
export interface ToolMapping<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
> extends ToolText {
  readonly operation: Operation<EngineInput, EngineOutput>
  readonly input: Input
  readonly output: Output
  readonly toInput: (args: z.output<Input>) => unknown
  readonly toResult: (output: z.output<EngineOutput>, args: z.output<Input>) => z.input<Output>
  readonly toProject?: DialectTool['toProject']
}

/** A tool as `tools/list` shows it, with hints taken from what the operation does. */
export function toTool(
  { name, description, input, output, error }: ToolText,
  operation: Operation,
): Tool {
  const inputSchema = once(() => toJsonSchema(input))
  const tool = {
    name,
    description,
    // Only lists need the schemas, and those are made at build time.
    get inputSchema() {
      return inputSchema()
    },
  }
  if (output !== undefined) {
    const get = once(() => toOutputSchema(output, error))
    Object.defineProperty(tool, 'outputSchema', { get, enumerable: true })
  }
  return Object.assign(tool, {
    annotations: {
      readOnlyHint: operation.effect === 'read',
      destructiveHint: isDestructive(operation),
      idempotentHint: isIdempotent(operation),
      openWorldHint: false,
    },
  })
}

/** An object that has either what a result must have or what an error must have. */
function toOutputSchema(output: z.ZodType, error: z.ZodType | undefined): JsonSchema {
  const result = toJsonSchema(output, 'output')
  if (error === undefined) return result
  const failed = toJsonSchema(error, 'output')
  return {
    type: 'object',
    properties: { ...failed.properties, ...result.properties },
    anyOf: [{ required: result.required ?? [] }, { required: failed.required ?? [] }],
  }
}
