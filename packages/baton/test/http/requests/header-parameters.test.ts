import { createServer } from '@waymark/baton'
import { expect, it } from 'vitest'
import { sendModern } from '../modern-client.ts'
import { serveNode } from '../servers.ts'

const server = createServer({ name: 'regions', version: '1.0.0' }).tool({
  name: 'deploy',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer', 'x-mcp-header': 'Level' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      target: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      tags: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Ignored' } },
    },
  },
  run: () => ({ content: [{ type: 'text', text: 'deployed' }] }),
})

const ARGUMENTS = { region: 'eu', level: 7, dry: false, target: { zone: 'zürich' }, tags: ['a'] }
const HEADERS = {
  'mcp-param-region': 'eu',
  'mcp-param-level': '7',
  'mcp-param-dry': 'false',
  'mcp-param-zone': '=?base64?esO8cmljaA==?=',
}

it.each<[string, object, Record<string, string | undefined>, number]>([
  ['all headers right', ARGUMENTS, HEADERS, 200],
  ['no annotated argument, no header', { tags: ['b'] }, {}, 200],
  ['a number with zeros in front', ARGUMENTS, { ...HEADERS, 'mcp-param-level': '007' }, 200],
  ['a header missing', ARGUMENTS, { ...HEADERS, 'mcp-param-region': undefined }, 400],
  ['a nested header missing', ARGUMENTS, { ...HEADERS, 'mcp-param-zone': undefined }, 400],
  ['another text', ARGUMENTS, { ...HEADERS, 'mcp-param-region': 'us' }, 400],
  ['another case', ARGUMENTS, { ...HEADERS, 'mcp-param-region': 'EU' }, 400],
  ['another number', ARGUMENTS, { ...HEADERS, 'mcp-param-level': '8' }, 400],
  ['a number in another notation', ARGUMENTS, { ...HEADERS, 'mcp-param-level': '7e0' }, 400],
  ['another truth', ARGUMENTS, { ...HEADERS, 'mcp-param-dry': 'true' }, 400],
  ['a header without argument', { tags: [] }, { 'mcp-param-region': 'eu' }, 400],
  ['two values', ARGUMENTS, { ...HEADERS, 'mcp-param-region': 'eu, eu' }, 400],
  ['broken base64', ARGUMENTS, { ...HEADERS, 'mcp-param-zone': '=?base64?esO8cmljaA?=' }, 400],
  [
    'half of the base64 form',
    { region: '=?base64?ZXU=' },
    { 'mcp-param-region': '=?base64?ZXU=' },
    200,
  ],
])('a call with %s gets the right status', async (_what, args, headers, status) => {
  await using served = await serveNode(server)
  const response = await sendModern(served, {
    method: 'tools/call',
    params: { name: 'deploy', arguments: args },
    id: 9,
    headers,
  })
  expect(response.status).toBe(status)
  if (status === 400)
    expect(await response.json()).toMatchObject({ id: 9, error: { code: -32020 } })
})
