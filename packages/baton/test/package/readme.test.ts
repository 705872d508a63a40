import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'

const examples = new URL('../../../../examples/greeter/', import.meta.url)

async function connect(example: string): Promise<Client> {
  const client = new Client(
    { name: 'reader', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const script = fileURLToPath(new URL(example, examples))
  const args = ['--conditions=@waymark/source', '--import', 'tsx', script]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }),
  )
  return client
}

describe('the examples in the README', () => {
  it.each(['server.ts', 'lazy-server.ts', 'tools.ts'])('%s is the file in examples', (example) => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
    const text = readFileSync(new URL(example, examples), 'utf8')
    expect(readme).toContain(`\`\`\`ts\n${text}\`\`\``)
  })

  it('are a complete server', async () => {
    const client = await connect('server.ts')
    expect(await client.callTool({ name: 'greet', arguments: { name: 'world' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, world!' },
    })
    expect(await client.callTool({ name: 'greet', arguments: { name: '' } })).toMatchObject({
      isError: true,
    })
    expect(await client.readResource({ uri: 'greeter://languages' })).toMatchObject({
      contents: [{ text: 'English' }],
    })
    const { messages } = await client.getPrompt({
      name: 'introduce',
      arguments: { who: 'the team' },
    })
    expect(messages).toMatchObject([{ content: { text: 'Introduce the team.' } }])
    await client.close()
  })

  it('and one that loads its tools when they are needed', async () => {
    const client = await connect('lazy-server.ts')
    expect((await client.listTools()).tools).toMatchObject([{ name: 'greet' }])
    expect(await client.callTool({ name: 'greet', arguments: { name: 'world' } })).toMatchObject({
      content: [{ text: 'Hello, world!' }],
    })
    await client.close()
  })
})
