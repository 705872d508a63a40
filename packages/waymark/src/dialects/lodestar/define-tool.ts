import * as z from 'zod'
import { parse, refuseUnknown, violation } from '../../core/input/parse.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { type ToolMapping, toTool } from '../to-tool.ts'
import { defineTool, route } from '../tool.ts'
import { failure } from './shapes.ts'

export function define<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  EngineInput extends z.ZodObject,
  EngineOutput extends z.ZodType,
>(mapping: ToolMapping<Input, Output, EngineInput, EngineOutput>): DialectTool {
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
