import { readParameterHeaders } from '../../internal/parameter-headers.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { Icon } from '../../protocol/implementation.ts'
import type { Meta } from '../../protocol/meta.ts'
import type { CallToolResult, Tool, ToolAnnotations } from '../../protocol/tool.ts'
import type { Awaitable, CallContext } from '../call-context.ts'
import { compileSchema } from './schema.ts'
import type { CompiledSchema, InferOutput, Schema } from './schema.ts'

/** A tool: how clients see it, and what it does. */
export interface ToolDefinition<Input extends Schema = Schema> {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** What arguments the tool takes; none if absent. */
  readonly inputSchema?: Input
  /** The shape of `structuredContent`; a result that breaks it never reaches the client. */
  readonly outputSchema?: Schema
  readonly annotations?: ToolAnnotations
  readonly icons?: readonly Icon[]
  readonly _meta?: Meta
  /**
   * Lets clients that know tasks get the result later; with `required`, others are refused.
   * A tool that has questions to ask first calls `context.becomeTask` itself instead.
   */
  readonly task?: 'optional' | 'required'
  readonly run: (input: InferOutput<Input>, context: CallContext) => Awaitable<CallToolResult>
}

/** A tool whose schemas are compiled. */
export interface CompiledTool {
  readonly tool: Tool
  call(args: unknown, context: CallContext): Promise<CallToolResult>
}

const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const

/** Prepares a tool for listing and calling. */
export function compileTool<Input extends Schema>(definition: ToolDefinition<Input>): CompiledTool {
  const { inputSchema, outputSchema, task, run: _run, ...rest } = definition
  const input = compileSchema(inputSchema ?? NO_ARGUMENTS, 'input')
  readParameterHeaders(input.json)
  const output = outputSchema && compileSchema(outputSchema, 'output')
  return {
    tool: { ...rest, inputSchema: input.json, ...(output && { outputSchema: output.json }) },
    async call(args, context) {
      // A schema that answers at once must not cost a turn of the event loop, in which a cancellation
      // could slip between the request and the handler that has yet to look at its signal.
      const checking = input.check(args)
      const checked = checking instanceof Promise ? await checking : checking
      if (!checked.ok) return toInputError(definition.name, checked.problems)
      if (task !== undefined) await context.becomeTask({ required: task === 'required' })
      const result = await definition.run(checked.value as InferOutput<Input>, context)
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

/** Bad arguments are a result, not a protocol error: the model reads it and tries again. */
function toInputError(name: string, problems: readonly string[]): CallToolResult {
  const text = `invalid arguments for ${name}: ${problems.join('; ')}`
  return { content: [{ type: 'text', text }], isError: true }
}

/** A broken result is the server's fault, and no retry by the model will mend it. */
function toOutputError(name: string, problems: readonly string[]): ProtocolError {
  const message = `tool ${name} returned a result that breaks its output schema`
  return new ProtocolError(ERROR_CODES.internalError, message, { problems })
}
