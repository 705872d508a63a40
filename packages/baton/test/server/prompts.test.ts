import { connectInMemory, createServer } from '@waymark/baton'
import type { MemoryClient } from '@waymark/baton'
import { expect, test } from 'vitest'

function connect(): MemoryClient {
  const server = createServer({ name: 'studio', version: '1' })
    .prompt({
      name: 'jam',
      description: 'Start a session',
      arguments: [{ name: 'style', required: true }, { name: 'tempo' }],
      render: ({ style, tempo = '90' }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `${style} at ${tempo}` } }],
      }),
    })
    .completion(({ argument, resolved }) => {
      const styles = Array.from({ length: 120 }, (_, index) => `style ${index}`)
      if (argument.name === 'style') return { values: styles }
      return { values: [`${resolved['style']} tempo`], hasMore: false }
    })
  return connectInMemory(server)
}

test('prompts are listed without their render functions', async () => {
  expect((await connect().request('prompts/list'))['result']).toEqual({
    prompts: [
      {
        name: 'jam',
        description: 'Start a session',
        arguments: [{ name: 'style', required: true }, { name: 'tempo' }],
      },
    ],
  })
})

test('a prompt is rendered with its arguments', async () => {
  const params = { name: 'jam', arguments: { style: 'ambient', tempo: '72' } }
  const { result } = await connect().request('prompts/get', params)
  expect(result).toEqual({
    messages: [{ role: 'user', content: { type: 'text', text: 'ambient at 72' } }],
  })
})

test('a prompt without its required argument, or with one that is not a string, is refused', async () => {
  const client = connect()
  const missing = await client.request('prompts/get', { name: 'jam', arguments: { tempo: '1' } })
  expect(missing['error']).toEqual({ code: -32602, message: 'prompt jam needs style' })
  const wrong = await client.request('prompts/get', { name: 'jam', arguments: { style: 1 } })
  expect(wrong).toHaveProperty('error.code', -32602)
  const unknown = await client.request('prompts/get', { name: 'silence' })
  expect(unknown['error']).toEqual({ code: -32602, message: 'unknown prompt: silence' })
})

test('at most 100 suggestions are sent, with the total', async () => {
  const ref = { type: 'ref/prompt', name: 'jam' }
  const params = { ref, argument: { name: 'style', value: 's' } }
  const { result } = await connect().request('completion/complete', params)
  expect(result).toMatchObject({ completion: { total: 120, hasMore: true } })
  expect(result).toHaveProperty('completion.values.length', 100)
})

test('a suggestion can depend on the arguments chosen before', async () => {
  const params = {
    ref: { type: 'ref/resource', uri: 'x://{style}' },
    argument: { name: 'tempo', value: '' },
    context: { arguments: { style: 'dub' } },
  }
  const { result } = await connect().request('completion/complete', params)
  expect(result).toEqual({ completion: { values: ['dub tempo'], hasMore: false } })
})

test.each([
  { ref: { type: 'ref/nothing' }, argument: { name: 'a', value: '' } },
  { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } },
  { ref: { type: 'ref/prompt', name: 'jam' }, argument: { name: 'a' } },
  { ref: { type: 'ref/prompt', name: 'jam' }, argument: 'a' },
])('completion of %j is refused', async (params) => {
  const answer = await connect().request('completion/complete', params)
  expect(answer).toHaveProperty('error.code', -32602)
})
