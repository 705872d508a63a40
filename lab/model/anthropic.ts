import * as z from 'zod'
import { parametersOf, type Reply, toText, type Json, type Wire } from './wire.ts'

const Block = z.looseObject({ type: z.string() })
const ToolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
})
const Request = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.unknown().optional() }))
    .default([]),
  messages: z.array(z.object({ content: z.union([z.string(), z.array(Block)]) })),
})

/** https://docs.anthropic.com/en/api/messages */
export const ANTHROPIC_MESSAGES: Wire = {
  name: 'Anthropic messages',
  path: /\/messages$/,
  parse: (body) => {
    const { model, stream, tools, messages } = Request.parse(body)
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    return {
      model,
      isStream: stream,
      tools: tools.map(({ name, input_schema }) => ({
        name,
        parameters: parametersOf(input_schema),
      })),
      results: blocks.flatMap((block) => {
        const { data } = ToolResultBlock.safeParse(block)
        return data === undefined ? [] : [{ id: data.tool_use_id, text: toText(data.content) }]
      }),
    }
  },
  toBody: (reply, model) => ({
    ...messageOf(reply, model),
    content: [contentOf(reply)],
    stop_reason: stopReasonOf(reply),
  }),
  toEvents: (reply, model) => {
    const events: readonly { [name: string]: Json; type: string }[] = [
      { type: 'message_start', message: { ...messageOf(reply, model), content: [] } },
      { type: 'content_block_start', index: 0, content_block: emptyContentOf(reply) },
      { type: 'content_block_delta', index: 0, delta: deltaOf(reply) },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: stopReasonOf(reply), stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ]
    return events.map((data) => ({ name: data.type, data }))
  },
}

function messageOf(reply: Reply, model: string): { [name: string]: Json } {
  return {
    id: `msg_${reply.kind === 'call' ? reply.id : 'end'}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}

function stopReasonOf({ kind }: Reply): string {
  return kind === 'call' ? 'tool_use' : 'end_turn'
}

function contentOf(reply: Reply): Json {
  if (reply.kind === 'text') return { type: 'text', text: reply.text }
  return { type: 'tool_use', id: reply.id, name: reply.tool.name, input: { ...reply.args } }
}

function emptyContentOf(reply: Reply): Json {
  if (reply.kind === 'text') return { type: 'text', text: '' }
  return { type: 'tool_use', id: reply.id, name: reply.tool.name, input: {} }
}

function deltaOf(reply: Reply): Json {
  if (reply.kind === 'text') return { type: 'text_delta', text: reply.text }
  return { type: 'input_json_delta', partial_json: JSON.stringify(reply.args) }
}
