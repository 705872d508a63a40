import type { Operation } from '../../core/operation.ts'
import { findOperation } from '../../registry.ts'
import { refuseUnknown } from '../../core/input/parse.ts'
import { type JsonSchema, toJsonSchema } from '../../core/input/schema.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { defineTool, route } from '../tool.ts'
import { fits, shorten, takeFitting, tokensOf } from './budget.ts'
import { maxTokens as max_tokens, toLeanTool } from './define-tool.ts'
import { OFFERED, type Toolset } from './toolsets.ts'

/** The operations of a toolset under their own names, `entity.create` as `entity_create`; with a name, that one alone. */
export async function derivedTools(
  toolset: Exclude<Toolset, 'core'>,
  name?: string,
): Promise<readonly DialectTool[]> {
  const wanted = OFFERED[toolset].filter((each) => name === undefined || toToolName(each) === name)
  const operations = await Promise.all(wanted.map(findOperation))
  return operations.flatMap((operation) =>
    operation === undefined ? [] : [toDerivedTool(operation, toolset)],
  )
}

function toToolName(operation: string): string {
  return operation.replace('.', '_')
}

function toDerivedTool(operation: Operation, toolset: Toolset): DialectTool {
  const { name, summary, input, effect } = operation
  const accepted = effect === 'read' ? input.extend({ max_tokens }) : input
  const takesTokens = 'max_tokens' in input.shape
  const toSchema = (): JsonSchema => bare(toJsonSchema(accepted))
  return defineTool({
    listed: toLeanTool({ name: toToolName(name), description: summary, toSchema }, [operation]),
    toolset,
    parse: (args) => {
      refuseUnknown(accepted, args)
      return args
    },
    routes: [
      route({
        operation,
        toInput: ({ max_tokens, ...args }) =>
          takesTokens && max_tokens !== undefined ? { ...args, max_tokens } : args,
        toResult: (output, args) => (effect === 'read' ? fitOutput(output, args) : output),
      }),
    ],
  })
}

/** Truncates the longest list of an output until it fits, then long texts, and notes what was left out. */
function fitOutput(output: unknown, args: Fields): unknown {
  tokensOf(args)
  if (fits(output, args) || typeof output !== 'object' || output === null) return output
  const lists = Object.entries(output).filter(([, value]) => Array.isArray(value))
  const [name, list] = lists.toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a))[0] ?? []
  if (name === undefined || !Array.isArray(list)) return shorten(output, args)
  const kept = takeFitting(list, args)
  const cut = { shown: kept.length, of: list.length }
  return shorten({ ...output, [name]: kept, truncated: { [name]: cut } }, args)
}

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length
}

/** Fields that the connection sets, and those for people and their programs only. */
const UNLISTED: ReadonlySet<string> = new Set(['agent_id', 'force', 'expected_revision'])

/** Names, types and choices alone: these are for callers who know the command line or its documentation. */
function bare(schema: JsonSchema): JsonSchema {
  const { properties = {}, required } = schema
  const fields = Object.entries(properties)
    .filter(([name]) => !UNLISTED.has(name))
    .map(([name, { type, enum: choices, items }]) => [
      name,
      {
        ...(type !== undefined && { type }),
        ...(choices !== undefined && { enum: choices }),
        ...(items !== undefined && { items: { type: items.type } }),
      },
    ])
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required !== undefined && required.length > 0 && { required }),
  }
}
