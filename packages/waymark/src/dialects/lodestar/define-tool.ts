import * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { parse, refuseUnknown, violation } from '../../core/input/parse.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { defineTool, route } from '../tool.ts'
import { failure } from './shapes.ts'

interface Mapping<
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
  readonly toProject?: DialectTool['toProject']
}

export function define<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
>(mapping: Mapping<Input, Output, EngineInput, EngineOutput>): DialectTool {
  const { operation, input, toProject } = mapping
  // The workflow tells agents to send their id in every call, so tools without that argument accept it too.
  const known = 'agentId' in input.shape ? input : input.extend({ agentId: z.unknown() })
  return defineTool({
    listed: toTool({ ...mapping, error: failure }, operation),
    parse: (args) => {
      refuseUnknown(known, args)
      const checked = parse(input, args)
      refuseTwoAgents({ ...args, ...checked })
      return checked
    },
    routes: [route(mapping)],
    toProject,
  })
}

/** Refuses a call that names two different agents as its caller. */
function refuseTwoAgents({ agentId, fromAgentId }: Fields): void {
  if (fromAgentId === undefined || (agentId ?? fromAgentId) === fromAgentId) return
  if (typeof agentId === 'string' && agentId.trim() === fromAgentId) return
  throw violation('agentId', 'not_one_of', 'must be the same as fromAgentId, or left out')
}
