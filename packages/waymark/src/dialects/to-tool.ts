import type { Tool } from '@waymark/baton'
import type * as z from 'zod'
import type { Operation } from '../operation.ts'
import { toJsonSchema } from '../schema.ts'

export interface ToolText {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** Shape of the result, where the dialect promises one. */
  readonly output?: z.ZodType
}

/** A tool as `tools/list` shows it, with hints taken from what the operation does. */
export function toTool({ name, description, input, output }: ToolText, operation: Operation): Tool {
  return {
    name,
    description,
    inputSchema: toJsonSchema(input),
    ...(output !== undefined && { outputSchema: toJsonSchema(output, 'output') }),
    annotations: {
      readOnlyHint: operation.effect === 'read',
      destructiveHint: operation.effect === 'delete',
      openWorldHint: false,
    },
  }
}
