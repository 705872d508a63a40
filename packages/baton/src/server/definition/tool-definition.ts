import { readParameterHeaders } from '../../internal/parameter-headers.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { Icon } from '../../protocol/implementation.ts'
import type { Meta } from '../../protocol/meta.ts'
import type { CallToolResult, Tool, ToolAnnotations } from '../../protocol/server-features/tool.ts'
import type { Awaitable, CallContext } from '../call-context.ts'
import { compileSchema } from './schema.ts'
import type { CompiledSchema, InferInput, InferOutput, Schema } from './schema.ts'

/** The members that all tool definitions have. */
interface ToolFields<Input extends Schema> {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** The schema of the arguments; without it the tool takes none. */
  readonly inputSchema?: Input
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
  /**
   * Runs the tool as a task for clients that support tasks; with `required`, other clients are refused.
   * A tool that needs input from the client first calls `context.becomeTask` itself instead.
   */
  readonly task?: 'optional' | 'required'
}

/** A tool: its listing and its run function. */
export interface ToolDefinition<Input extends Schema = Schema> extends ToolFields<Input> {
  readonly outputSchema?: undefined
  readonly run: (input: InferOutput<Input>, context: CallContext) => Awaitable<CallToolResult>
}

/** A tool with an output schema, which types its structured content. */
export interface StructuredToolDefinition<
  Input extends Schema = Schema,
  Output extends Schema = Schema,
> extends ToolFields<Input> {
  /** The schema of `structuredContent`; a result that violates it becomes an error. */
  readonly outputSchema: Output
  readonly run: (
    input: InferOutput<Input>,
    context: CallContext,
  ) => Awaitable<StructuredResult<InferInput<Output>> | ErrorResult>
}

/** A result whose structured content matches the output schema of its tool. */
export interface StructuredResult<Content> extends CallToolResult {
  readonly structuredContent: DeepReadonly<Content>
  readonly isError?: false
}

/** A result that reports an error; it need not match the output schema of its tool. */
export interface ErrorResult extends CallToolResult {
  readonly isError: true
}

/** Results are only serialised, so readonly lists and members are accepted. */
type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T

/** A tool whose schemas are compiled. */
export interface CompiledTool {
  readonly tool: Tool
  call(args: unknown, context: CallContext): Promise<CallToolResult>
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const

/** Compiles the schemas of a tool. */
export function compileTool<Input extends Schema, Output extends Schema>(
  definition: ToolDefinition<Input> | StructuredToolDefinition<Input, Output>,
): CompiledTool {
  const { inputSchema, outputSchema, task, run: _run, ...rest } = definition
  const input = compileSchema(inputSchema ?? NO_ARGUMENTS, 'input')
  readParameterHeaders(input.json)
  const output = outputSchema && compileSchema(outputSchema, 'output')
  return {
    tool: { ...rest, inputSchema: input.json, ...(output && { outputSchema: output.json }) },
    async call(args, context) {
      // No await for a synchronous schema: it would cost a turn of the event loop, in which a cancellation could
      // arrive before the handler has looked at its signal.
      const checking = input.check(args)
      const checked = checking instanceof Promise ? await checking : checking
      if (!checked.ok) return toInputError(definition.name, checked.problems)
      if (task !== undefined) await context.becomeTask({ required: task === 'required' })
      const result: CallToolResult = await definition.run(
        checked.value as InferOutput<Input>,
        context,
      )
      if (output !== undefined && result.isError !== true)
        await checkOutput(definition.name, output, result)
      return result
    },
  }
}

async function checkOutput(
  name: string,
  output: CompiledSchema,
  result: CallToolResult,
): Promise<void> {
  const checked = await output.check(result.structuredContent)
  if (!checked.ok) throw toOutputError(name, checked.problems)
}

/** Invalid arguments are a tool result, not a protocol error, so that the model can read it and correct itself. */
function toInputError(name: string, problems: readonly string[]): CallToolResult {
  const text = `invalid arguments for ${name}: ${problems.join('; ')}`
  return { content: [{ type: 'text', text }], isError: true }
}

/** An invalid result is a bug of the server, which the model cannot fix by another call. */
function toOutputError(name: string, problems: readonly string[]): ProtocolError {
  const message = `tool ${name} returned a result that violates its output schema`
  return new ProtocolError(ERROR_CODES.internalError, message, { problems })
}
