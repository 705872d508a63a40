import { createServer, createTestClient, ProtocolError, type Server } from '@waymark/baton'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

function createNotes(): Server {
  return createServer({ name: 'notes', version: '1' })
    .tool({
      name: 'add',
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ length: z.number() }),
      run: ({ text }) => ({ structuredContent: { length: text.length } }),
    })
    .tool({
      name: 'confirm',
      async run(_input, { elicit, sample, era }) {
        const { action } = await elicit({
          message: 'Really?',
          requestedSchema: { type: 'object', properties: {} },
        })
        const { model } = await sample({ messages: [], maxTokens: 1 })
        return { structuredContent: { action, model, era } }
      },
    })
    .resourceTemplate({
      uriTemplate: 'note://{id}',
      name: 'note',
      read: (_uri, { id }) => ({ text: `note ${id}` }),
    })
    .prompt({
      name: 'ask',
      arguments: [{ name: 'topic', required: true }],
      render: ({ topic = '' }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: topic } }],
      }),
    })
}

describe.each(['modern', 'legacy'] as const)('a test client of the %s era', (era) => {
  it('resolves to results', async () => {
    const client = createTestClient(createNotes(), { era })
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['add', 'confirm'])
    const { structuredContent } = await client.callTool('add', { text: 'four' })
    expect(structuredContent).toEqual({ length: 4 })
    const { contents } = await client.readResource('note://7')
    expect(contents).toEqual([{ uri: 'note://7', text: 'note 7' }])
    const { messages } = await client.getPrompt('ask', { topic: 'time' })
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'time' })
    client.close()
  })

  it('rejects with the error of the protocol', async () => {
    const client = createTestClient(createNotes(), { era })
    const error = await client.getPrompt('ask').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ProtocolError)
    expect(error).toMatchObject({ code: -32602, message: 'prompt ask needs topic' })
  })

  it('answers input requests', async () => {
    const client = createTestClient(createNotes(), {
      era,
      answer: ({ method }) =>
        method === 'elicitation/create'
          ? { action: 'accept', content: {} }
          : { role: 'assistant', content: { type: 'text', text: '' }, model: 'test' },
    })
    const { structuredContent } = await client.callTool('confirm')
    expect(structuredContent).toEqual({ action: 'accept', model: 'test', era })
  })
})

it('a test client has a principal', async () => {
  const server = createServer({ name: 'x', version: '1' }).tool({
    name: 'whoami',
    run: (_input, { principal }) => ({ structuredContent: { id: principal?.id } }),
  })
  const client = createTestClient(server, { principal: { id: 'alice' } })
  expect((await client.callTool('whoami')).structuredContent).toEqual({ id: 'alice' })
})
