import { expect, it } from 'vitest'
import { startModelService } from '../model/service.ts'
import type { Json, ModelRequest, Reply } from '../model/wire.ts'

const SCHEMA = {
  type: 'object',
  properties: { query: { type: 'string' }, wait: { type: 'boolean' } },
}
const FUNCTION = { name: 'recall', parameters: SCHEMA }
const TEXT: Reply = { kind: 'text', text: 'Done.' }

interface Form {
  readonly path: string
  readonly streamPath?: string
  /** One tool, and one result of an earlier call. */
  readonly body: { readonly [name: string]: Json }
  /** What a host has to find in an answer that calls the tool. */
  readonly call: RegExp
  readonly events: readonly string[]
}

const FORMS: Readonly<Record<string, Form>> = {
  'Anthropic messages': {
    path: '/v1/messages?beta=true',
    body: {
      model: 'm',
      tools: [{ name: 'recall', input_schema: SCHEMA }],
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c0', content: [{ type: 'text', text: 'found' }] },
          ],
        },
      ],
    },
    call: /"type":"tool_use","id":"c1","name":"recall","input":\{/,
    events: ['message_start', 'content_block_start', 'content_block_delta', 'message_stop'],
  },
  'OpenAI chat completions': {
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      tools: [{ type: 'function', function: FUNCTION }],
      messages: [
        { role: 'user', content: 'Go.' },
        { role: 'tool', tool_call_id: 'c0', content: 'found' },
      ],
    },
    call: /"id":"c1","type":"function","function":\{"name":"recall","arguments":"\{/,
    events: [],
  },
  'OpenAI responses': {
    path: '/v1/responses',
    body: {
      model: 'm',
      tools: [{ type: 'namespace', name: 'mcp__waymark', tools: [FUNCTION] }],
      input: [
        { type: 'message', role: 'user', content: [] },
        { type: 'function_call_output', call_id: 'c0', output: 'found' },
      ],
    },
    call: /"call_id":"c1","name":"recall","namespace":"mcp__waymark","arguments":"\{/,
    events: ['response.created', 'response.output_item.done', 'response.completed'],
  },
  Gemini: {
    path: '/v1beta/models/m:generateContent',
    streamPath: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      tools: [
        { functionDeclarations: [{ name: 'recall', parametersJsonSchema: SCHEMA }] },
        { googleSearch: {} },
      ],
      contents: [
        { role: 'user', parts: [{ text: 'Go.' }] },
        { parts: [{ functionResponse: { id: 'c0', response: { output: 'found' } } }] },
      ],
    },
    call: /"functionCall":\{"id":"c1","name":"recall","args":\{"query":"x"\}/,
    events: [],
  },
}

it.each(Object.entries(FORMS))('speaks %s, whole and as a stream', async (_, form) => {
  const asked: ModelRequest[] = []
  const replies: Reply[] = []
  await using service = await startModelService((request) => {
    asked.push(request)
    return replies.shift() ?? TEXT
  })
  const ask = async (isStream: boolean) => {
    const path = isStream ? (form.streamPath ?? form.path) : form.path
    const response = await fetch(`${service.origin}${path}`, {
      method: 'POST',
      body: JSON.stringify({ ...form.body, stream: isStream }),
    })
    return response.text()
  }

  for (const isStream of [false, true]) {
    expect(await ask(isStream)).toContain('Done.')
    const { tools, results } = asked.at(-1) ?? { tools: [], results: [] }
    expect(results).toEqual([{ id: 'c0', text: 'found' }])
    expect(tools).toMatchObject([
      { name: 'recall', parameters: { query: 'string', wait: 'boolean' } },
    ])
    const [tool] = tools
    if (tool === undefined) throw new Error('no tool was understood')
    replies.push({ kind: 'call', id: 'c1', tool, args: { query: 'x' } })
    const called = await ask(isStream)
    expect(called).toMatch(form.call)
    for (const name of isStream ? form.events : []) expect(called).toContain(`event: ${name}\n`)
  }
})

it('offers what a search of the responses API found, and calls a tool without parameters by its text', async () => {
  const replies: Reply[] = []
  let tools: ModelRequest['tools'] = []
  await using service = await startModelService((request) => {
    tools = request.tools
    return replies.shift() ?? TEXT
  })
  const body = {
    model: 'm',
    tools: [{ type: 'tool_search' }, { type: 'custom', name: 'apply_patch' }],
    input: [
      {
        type: 'tool_search_output',
        call_id: 'c0',
        tools: [{ type: 'namespace', name: 'mcp__waymark', tools: [FUNCTION] }],
      },
    ],
  }
  const ask = async () => {
    const request = { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${service.origin}/v1/responses`, request)
    return response.json()
  }
  await ask()
  expect(tools).toMatchObject([
    { name: 'tool_search', form: 'search' },
    { name: 'apply_patch', form: 'freeform' },
    { name: 'recall', namespace: 'mcp__waymark' },
  ])
  for (const tool of tools.slice(0, 2)) {
    replies.push({ kind: 'call', id: 'c1', tool, args: { input: 'patch' } })
  }
  expect(await ask()).toMatchObject({
    output: [{ type: 'tool_search_call', arguments: { input: 'patch' } }],
  })
  expect(await ask()).toMatchObject({ output: [{ type: 'custom_tool_call', input: 'patch' }] })
})

it('says which requests it did not understand', async () => {
  await using service = await startModelService(() => TEXT)
  const [missing, broken] = [
    await fetch(`${service.origin}/v1/embeddings`, { method: 'POST', body: '{}' }),
    await fetch(`${service.origin}/v1/messages`, { method: 'POST', body: '{}' }),
  ]
  expect([missing.status, broken.status]).toEqual([404, 400])
  expect(service.unknown[0]).toBe('POST /v1/embeddings')
  expect(service.unknown[1]).toMatch(/^POST \/v1\/messages: /)
})
