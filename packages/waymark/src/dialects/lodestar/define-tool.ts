import type * as z from 'zod'
import type { Operation } from '../../operation.ts'
import { parse } from '../../parse.ts'
import type { DialectTool } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { failure } from './shapes.ts'

export interface Spelling<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
> {
  readonly name: string
  readonly description: string
  readonly operation: Operation<EngineInput, EngineOutput>
  readonly input: Input
  readonly output: Output
  readonly toInput: (args: z.output<Input>) => unknown
  readonly toResult: (output: z.output<EngineOutput>, args: z.output<Input>) => z.input<Output>
  /** One sentence for clients that show text only. */
  readonly toText: (result: z.input<Output>) => string
  readonly toProject?: (args: Readonly<Record<string, unknown>>) => string | undefined
}

export function define<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
>(spelling: Spelling<Input, Output, EngineInput, EngineOutput>): DialectTool {
  const { operation, input, toProject } = spelling
  return {
    listed: toTool({ ...spelling, error: failure }, operation),
    operation,
    toInput: (args) => spelling.toInput(parse(input, args)),
    toResult: (output, args) =>
      spelling.toResult(output as z.output<EngineOutput>, input.parse(args) as z.output<Input>),
    toText: (result) => spelling.toText(result as z.input<Output>),
    ...(toProject !== undefined && { toProject }),
  }
}
