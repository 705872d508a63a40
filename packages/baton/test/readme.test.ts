import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'

const example = fileURLToPath(new URL('../../../examples/greeter/server.ts', import.meta.url))

describe('the example in the README', () => {
  it('is the file in examples', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    expect(readme).toContain(`\`\`\`ts\n${readFileSync(example, 'utf8')}\`\`\``)
  })

  it('is a complete server', async () => {
    const client = new Client(
      { name: 'reader', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const args = ['--conditions=@waymark/source', '--import', 'tsx', example]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }),
    )
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
})
