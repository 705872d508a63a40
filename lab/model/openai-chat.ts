import * as z from 'zod'
import { parametersOf, type Reply, toText, type Json, type Wire } from './wire.ts'

const Request = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z
    .array(
      z.object({ function: z.object({ name: z.string(), parameters: z.unknown().optional() }) }),
    )
    .default([]),
  messages: z.array(
    z.object({
      role: z.string(),
      tool_call_id: z.string().optional(),
      content: z.unknown().optional(),
    }),
  ),
})

/** https://platform.openai.com/docs/api-reference/chat */
export const OPENAI_CHAT: Wire = {
  name: 'OpenAI chat completions',
  path: /\/chat\/completions$/,
  parse: (body) => {
    const { model, stream, tools, messages } = Request.parse(body)
    return {
      model,
      isStream: stream,
      tools: tools.map(({ function: { name, parameters } }) => ({
        name,
        parameters: parametersOf(parameters),
      })),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: toText(content) })),
    }
  },
  toBody: (reply, model) => ({
    ...completionOf(reply, model),
    object: 'chat.completion',
    choices: [{ index: 0, message: messageOf(reply), finish_reason: finishReasonOf(reply) }],
    usage: USAGE,
  }),
  toEvents: (reply, model) => {
    const chunk = { ...completionOf(reply, model), object: 'chat.completion.chunk' }
    return [
      { data: { ...chunk, choices: [{ index: 0, delta: messageOf(reply), finish_reason: null }] } },
      {
        data: {
          ...chunk,
          choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(reply) }],
        },
      },
      { data: { ...chunk, choices: [], usage: USAGE } },
    ]
  },
  end: '[DONE]',
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

function completionOf(reply: Reply, model: string): { [name: string]: Json } {
  return { id: `chatcmpl_${reply.kind === 'call' ? reply.id : 'end'}`, created: 1, model }
}

function finishReasonOf({ kind }: Reply): string {
  return kind === 'call' ? 'tool_calls' : 'stop'
}

function messageOf(reply: Reply): Json {
  if (reply.kind === 'text') return { role: 'assistant', content: reply.text }
  const call = { name: reply.tool.name, arguments: JSON.stringify(reply.args) }
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: reply.id, type: 'function', function: call }],
  }
}
