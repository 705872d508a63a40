import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { loadDialects } from '../../../src/dialects/load-dialects.ts'
import { loadTools } from '../../../src/dialects/waymark/tools.ts'
import { TOOLSETS } from '../../../src/dialects/waymark/toolsets.ts'

/** What a conversation pays for having the tools, before the first is called. */
async function cost(toolsets: string): Promise<number> {
  const [{ listed }] = await loadDialects('waymark', { toolsets })
  return encode(JSON.stringify(listed)).length
}

it('the tool lists stay within their budgets', async () => {
  const costs = Object.fromEntries(
    await Promise.all([...TOOLSETS, 'all'].map(async (name) => [name, await cost(name)] as const)),
  )
  process.stdout.write(`tokens of the tool lists (o200k): ${JSON.stringify(costs)}\n`)
  expect(costs['core']).toBeLessThan(1_700)
  expect(costs['all']).toBeLessThan(4_600)
})

it('the generated list is that of the tools', async () => {
  const [{ listed }] = await loadDialects('waymark', { toolsets: 'all' })
  expect(listed).toEqual((await loadTools()).map((tool) => tool.listed))
})

it('every tool is named and described as hosts and providers want it', async () => {
  for (const { listed, toolset } of await loadTools()) {
    expect(listed.name).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(listed.name.length).toBeLessThanOrEqual(40)
    expect(listed.description?.length).toBeLessThan(300)
    expect(listed.inputSchema).toMatchObject({ type: 'object' })
    expect(JSON.stringify(listed.inputSchema)).not.toMatch(/"(any|one|all)Of"/)
    const takesTokens = JSON.stringify(listed.inputSchema).includes('"max_tokens"')
    const isRead = listed.annotations?.readOnlyHint === true
    expect(takesTokens || !isRead, `${toolset} ${listed.name} has no max_tokens`).toBe(true)
  }
})
