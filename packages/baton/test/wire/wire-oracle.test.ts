import {
  CallToolResultSchema,
  CompleteResultSchema,
  DiscoverResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  JSONRPCErrorResponseSchema,
  JSONRPCResultResponseSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ReadResourceResultSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/core'
import { connectInMemory, createServer } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

interface Oracle {
  parse(value: unknown): unknown
}

function createEverything(): Server {
  return createServer({
    name: 'everything',
    version: '1',
    title: 'Everything',
    instructions: 'Use all of it',
    icons: [{ src: 'data:,', mimeType: 'image/png', sizes: ['any'] }],
  })
    .tool({
      name: 'all_content',
      title: 'All content',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
      outputSchema: { type: 'object', properties: { b: { type: 'number' } } },
      annotations: { readOnlyHint: true, openWorldHint: false },
      _meta: { ui: { resourceUri: 'ui://view' } },
      run(_input, { log, progress }) {
        log('warning', { hot: true }, 'sensor')
        progress(1, 2, 'half')
        return {
          content: [
            { type: 'text', text: 'x', annotations: { audience: ['user'], priority: 1 } },
            { type: 'image', data: 'AAAA', mimeType: 'image/png' },
            { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
            { type: 'resource_link', uri: 'a://b', name: 'b' },
            { type: 'resource', resource: { uri: 'a://b', text: 'b' } },
          ],
          structuredContent: { b: 1 },
        }
      },
    })
    .resource({ uri: 'a://b', name: 'b', size: 1, read: () => ({ text: 'b' }) })
    .resourceTemplate({ uriTemplate: 'a://{c}', name: 'c', read: () => ({ blob: 'AAAA' }) })
    .prompt({
      name: 'p',
      arguments: [{ name: 'q' }],
      render: () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] }),
    })
    .completion(() => ({ values: ['one'] }))
}

const REQUESTS: readonly [string, object, Oracle][] = [
  ['tools/list', {}, ListToolsResultSchema],
  ['tools/call', { name: 'all_content', arguments: {} }, CallToolResultSchema],
  ['tools/call', { name: 'all_content', arguments: { a: 1 } }, CallToolResultSchema],
  ['resources/list', {}, ListResourcesResultSchema],
  ['resources/templates/list', {}, ListResourceTemplatesResultSchema],
  ['resources/read', { uri: 'a://b' }, ReadResourceResultSchema],
  ['resources/read', { uri: 'a://c' }, ReadResourceResultSchema],
  ['prompts/list', {}, ListPromptsResultSchema],
  ['prompts/get', { name: 'p' }, GetPromptResultSchema],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'q', value: '' } },
    CompleteResultSchema,
  ],
]

test.each(REQUESTS)('%s %j is what the official schemas expect, in both eras', async (...row) => {
  const [method, params, oracle] = row
  const client = connectInMemory(createEverything())
  const initialized = await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
  })
  InitializeResultSchema.parse(initialized['result'])
  for (const _meta of [{ progressToken: 1 }, { ...MODERN_META, progressToken: 1 }]) {
    const response = await client.request(method, { ...params, _meta })
    JSONRPCResultResponseSchema.parse(response)
    oracle.parse(response['result'])
  }
})

test('discovery is what the official schema expects [wire-oracle-discovery-official]', async () => {
  const client = connectInMemory(createEverything())
  const { result } = await client.request('server/discover', { _meta: MODERN_META })
  DiscoverResultSchema.parse(result)
})

test('notifications are what the official schemas expect', async () => {
  const server = createEverything()
  const client = connectInMemory(server)
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
  client.notify('notifications/initialized')
  await client.request('resources/subscribe', { uri: 'a://b' })
  await client.request('tools/call', { name: 'all_content', _meta: { progressToken: 'p' } })
  server.notify.resourceUpdated('a://b')
  server.notify.toolsChanged()
  const oracles: readonly Oracle[] = [
    LoggingMessageNotificationSchema,
    ProgressNotificationSchema,
    ResourceUpdatedNotificationSchema,
    ToolListChangedNotificationSchema,
  ]
  const sent = client.received.filter((message) => !('id' in message))
  expect(sent).toHaveLength(oracles.length)
  for (const [index, oracle] of oracles.entries()) oracle.parse(sent[index])
})

test('errors are what the official schema expects', async () => {
  const client = connectInMemory(createEverything())
  for (const method of ['tools/call', 'nothing', 'resources/read']) {
    JSONRPCErrorResponseSchema.parse(await client.request(method))
  }
})
