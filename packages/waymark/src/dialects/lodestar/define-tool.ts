import * as z from 'zod'
import type { Operation } from '../../operation.ts'
import { parse } from '../../parse.ts'
import { refuseUnknown } from '../../parse-exact.ts'
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
  // Agents are told to use their id in every call; who only looks may leave it out, and may as well not.
  const known = operation.effect === 'read' ? input.extend({ agentId: z.unknown() }) : input
  return {
    listed: toTool({ ...spelling, error: failure }, operation),
    operation,
    toInput: (args) => {
      refuseUnknown(known, args)
      return spelling.toInput(parse(input, args))
    },
    toResult: (output, args) =>
      spelling.toResult(output as z.output<EngineOutput>, input.parse(args) as z.output<Input>),
    toText: (result) => spelling.toText(result as z.input<Output>),
    ...(toProject !== undefined && { toProject }),
  }
}
