import type { Server } from '@waymark/baton'
import { PNG, WAV, pause, say, text } from './samples.ts'

const EMBEDDED = {
  uri: 'test://embedded-resource',
  mimeType: 'text/plain',
  text: 'This is an embedded resource content.',
}

/** Tools for every kind of content, for logging, progress, errors and reconnection. */
export function addContentTools(server: Server): void {
  server
    .tool({
      name: 'test_simple_text',
      description: 'Returns text',
      run: () => say('This is a simple text response for testing.'),
    })
    .tool({
      name: 'test_image_content',
      description: 'Returns an image',
      run: () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] }),
    })
    .tool({
      name: 'test_audio_content',
      description: 'Returns a sound',
      run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
    })
    .tool({
      name: 'test_embedded_resource',
      description: 'Returns a resource',
      run: () => ({ content: [{ type: 'resource', resource: EMBEDDED }] }),
    })
    .tool({
      name: 'test_multiple_content_types',
      description: 'Returns text, an image and a resource',
      run: () => ({
        content: [
          text('Multiple content types test:'),
          { type: 'image', data: PNG, mimeType: 'image/png' },
          {
            type: 'resource',
            resource: {
              uri: 'test://mixed-content-resource',
              mimeType: 'application/json',
              text: '{"test":"data","value":123}',
            },
          },
        ],
      }),
    })
    .tool({
      name: 'test_tool_with_logging',
      description: 'Logs three messages before it answers',
      async run(_input, { log }) {
        for (const message of [
          'Tool execution started',
          'Tool processing data',
          'Tool execution completed',
        ]) {
          log('info', message)
          await pause(50)
        }
        return say('Tool with logging executed successfully')
      },
    })
    .tool({
      name: 'test_logging_tool',
      description: 'Logs, for clients that want to hear it',
      run(_input, { log }) {
        log('info', 'sent only to subscribers')
        return say('logged')
      },
    })
    .tool({
      name: 'test_tool_with_progress',
      description: 'Reports progress before it answers',
      async run(_input, { progress, meta: { progressToken } }) {
        for (const value of [0, 50, 100]) {
          progress(value, 100, `Completed step ${value} of 100`)
          await pause(50)
        }
        return say(typeof progressToken === 'string' ? progressToken : '0')
      },
    })
    .tool({
      name: 'test_error_handling',
      description: 'Always fails',
      run() {
        throw new Error('This tool intentionally returns an error for testing')
      },
    })
    .tool({
      name: 'test_reconnection',
      description: 'Sends its client away and answers a moment later',
      async run(_input, { disconnect }) {
        disconnect()
        await pause(100)
        return say('Reconnection test completed successfully')
      },
    })
    .tool({
      name: 'json_schema_2020_12_tool',
      description: 'Has an input schema with features of JSON Schema 2020-12',
      inputSchema: SCHEMA_2020_12,
      run: (input) => say(`JSON Schema 2020-12 tool called with: ${JSON.stringify(input)}`),
    })
    .tool({
      name: 'test_x_mcp_header',
      description: 'Has arguments that clients repeat in headers',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          level: { type: 'integer', 'x-mcp-header': 'Level' },
        },
      },
      run: (input) => say(JSON.stringify(input)),
    })
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const
