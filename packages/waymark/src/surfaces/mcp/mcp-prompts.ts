import type { GetPromptResult, Prompt, ServerHandler } from '@waymark/baton'
import type { Dialect } from '../../dialects/dialect.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { type McpOptions, serveCall, toProtocolError } from './mcp-call.ts'

const LONGEST_LOGGED = 200

/** Serves the project's prompts as MCP prompts. */
export function createPrompts(options: McpOptions): ServerHandler {
  if (!offersPrompts(options)) return {}
  return {
    listPrompts: (call) =>
      serve(options, call, {
        subject: {},
        run: async (context): Promise<readonly Prompt[]> => {
          const { listPrompts } = await import('../../prompt/operations.ts')
          const { prompts } = await execute(context, listPrompts, {})
          return prompts.map(({ arguments: given, ...prompt }) => ({
            name: prompt.name,
            title: prompt.title,
            ...(prompt.description !== undefined && { description: prompt.description }),
            arguments: given.map(({ name, description, required }) => ({
              name,
              ...(description !== undefined && { description }),
              required,
            })),
          }))
        },
      }),
    getPrompt: (name, args, call) =>
      serve(options, call, {
        subject: { prompt: name.slice(0, LONGEST_LOGGED) },
        run: async (context): Promise<GetPromptResult> => {
          const { renderPrompt } = await import('../../prompt/operations.ts')
          const { description, text } = await execute(context, renderPrompt, {
            name,
            arguments: args,
          })
          return {
            ...(description !== undefined && { description }),
            messages: [{ role: 'user', content: { type: 'text', text } }],
          }
        },
      }),
  }
}

const serve: typeof serveCall = async (options, call, work) => {
  try {
    return await serveCall(options, call, work)
  } catch (error) {
    throw error instanceof Failure ? toProtocolError(error, undefined, call) : error
  }
}

export function offersPrompts({ dialects }: { readonly dialects: readonly Dialect[] }): boolean {
  return dialects.some(({ prompts }) => prompts === true)
}
