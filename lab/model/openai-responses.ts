import * as z from 'zod'
import {
  type OfferedTool,
  parametersOf,
  type Reply,
  toText,
  type Json,
  type StreamEvent,
  type Wire,
} from './wire.ts'

const Tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  parameters: z.unknown().optional(),
  /** Of a namespace. */
  tools: z
    .array(z.looseObject({ name: z.string(), parameters: z.unknown().optional() }))
    .default([]),
})
const Output = z.object({
  type: z.enum(['function_call_output', 'custom_tool_call_output', 'tool_search_output']),
  call_id: z.string(),
  output: z.unknown().optional(),
  /** What a search found: offered from then on. */
  tools: z.array(Tool).default([]),
})
const Request = z.object({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(Tool).default([]),
  input: z.union([z.string(), z.array(z.unknown())]),
})

/** https://platform.openai.com/docs/api-reference/responses */
export const OPENAI_RESPONSES: Wire = {
  name: 'OpenAI responses',
  path: /\/responses$/,
  parse: (body) => {
    const { model, stream, tools, input } = Request.parse(body)
    const outputs = (typeof input === 'string' ? [] : input).flatMap((item) => {
      const { data } = Output.safeParse(item)
      return data === undefined ? [] : [data]
    })
    return {
      model,
      isStream: stream,
      tools: [...tools, ...outputs.flatMap((output) => output.tools)].flatMap(toOffered),
      results: outputs.map(({ call_id, output }) => ({ id: call_id, text: toText(output) })),
    }
  },
  toBody: responseOf,
  toEvents: (reply, model) => {
    const response = responseOf(reply, model)
    const item = itemOf(reply)
    return [
      named({
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [] },
      }),
      named({
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress' },
      }),
      named({ type: 'response.output_item.done', output_index: 0, item }),
      named({ type: 'response.completed', response }),
    ]
  },
}

const FORMS: ReadonlyMap<string, 'freeform' | 'search'> = new Map([
  ['custom', 'freeform'],
  ['tool_search', 'search'],
])

function toOffered({ type, name, parameters, tools }: z.infer<typeof Tool>): OfferedTool[] {
  if (type === 'namespace') {
    return tools.map((tool) => ({
      name: tool.name,
      namespace: name,
      parameters: parametersOf(tool.parameters),
    }))
  }
  const form = FORMS.get(type)
  return [
    {
      name: name ?? type,
      ...(form !== undefined && { form }),
      parameters: parametersOf(parameters),
    },
  ]
}

function responseOf(reply: Reply, model: string): { [name: string]: Json } {
  return {
    id: `resp_${reply.kind === 'call' ? reply.id : 'end'}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model,
    output: [itemOf(reply)],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  }
}

function itemOf(reply: Reply): { [name: string]: Json } {
  if (reply.kind === 'text') {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }]
    return { type: 'message', id: 'msg_end', role: 'assistant', status: 'completed', content }
  }
  const { id, tool, args } = reply
  if (tool.form === 'search') {
    const search = { execution: 'client', arguments: { ...args } }
    return {
      type: 'tool_search_call',
      id: `tsc_${id}`,
      call_id: id,
      ...search,
      status: 'completed',
    }
  }
  if (tool.form === 'freeform') {
    const call = { name: tool.name, input: args['input'] ?? '' }
    return { type: 'custom_tool_call', id: `ctc_${id}`, call_id: id, ...call, status: 'completed' }
  }
  return {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name: tool.name,
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
    arguments: JSON.stringify(args),
    status: 'completed',
  }
}

function named(data: { [name: string]: Json; type: string }): StreamEvent {
  return { name: data.type, data }
}
