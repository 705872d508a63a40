import type { Context } from '../../../../src/core/context.ts'
import { DIALECT_NAMES, loadDialects } from '../../../../src/dialects/load-dialects.ts'
import { execute } from '../../../../src/core/execute.ts'
import { allOperations } from '../../../../src/registry.ts'
import { type JsonSchema, toJsonSchema } from '../../../../src/core/input/schema.ts'

/** Something an agent can call that may write: an operation, or a tool of a dialect. */
export interface Callable {
  /** `entity.update`, or `medulla entity_update`. */
  readonly name: string
  readonly schema: JsonSchema
  readonly isTool: boolean
  call(context: Context, input: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** Everything that there is: what is added later is here without being named. */
export async function allCallables(): Promise<readonly Callable[]> {
  const operations = (await allOperations())
    .filter(({ effect }) => effect !== 'read')
    .map((operation): Callable => ({
      name: operation.name,
      schema: toJsonSchema(operation.input),
      isTool: false,
      call: (context, input) => execute(context, operation, input),
    }))
  const tools = await Promise.all(DIALECT_NAMES.map(toolsOf))
  return [...operations, ...tools.flat()]
}

async function toolsOf(name: string): Promise<readonly Callable[]> {
  const options = name === 'waymark' ? { toolsets: 'all' } : {}
  const [dialect] = await loadDialects(name, options)
  return (await dialect.loadTools())
    .filter(({ listed }) => listed.annotations?.readOnlyHint !== true)
    .map((tool) => ({
      name: `${name} ${tool.listed.name}`,
      schema: tool.listed.inputSchema as JsonSchema,
      isTool: true,
      call: async (context, input) => {
        const { operation, input: own, toAnswer } = tool.toCall(input)
        return toAnswer(await execute(context, operation, own)).result
      },
    }))
}
