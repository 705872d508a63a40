import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { DIALECT_NAMES, loadDialects } from '../../../src/dialects/load-dialects.ts'
import { loadTools } from '../../../src/dialects/waymark/tools.ts'
import { TOOLSETS } from '../../../src/dialects/waymark/toolsets.ts'
import { connect, type Fields } from '../client.ts'

const IDEMPOTENT_WRITES: ReadonlySet<string> = new Set([
  'relation_create',
  'relation_delete',
  'entity_delete',
  'decision_supersede',
])

/** What a conversation pays for having the tools, before the first is called. */
async function cost(toolsets: string): Promise<number> {
  const [{ listed }] = await loadDialects('waymark', { toolsets })
  // Hints and `_meta` are for the host; models do not get them.
  const shown = listed.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }))
  return encode(JSON.stringify(shown)).length
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

it('every tool has all hints, and none that makes an unattended host refuse it', async () => {
  for (const { listed } of await loadTools()) {
    expect(listed.annotations, listed.name).toEqual({
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: false,
    })
  }
  const [{ listed }] = await loadDialects('waymark')
  expect(listed.filter(({ annotations }) => annotations?.destructiveHint === true)).toEqual([])
})

it.each(DIALECT_NAMES)('%s says of each tool whether a call may be repeated', async (name) => {
  const [{ listed }] = await loadDialects(name, name === 'waymark' ? { toolsets: 'all' } : {})
  const hints = new Map(listed.map((tool) => [tool.name, tool.annotations]))
  for (const [tool, annotations] of hints)
    expect(annotations?.idempotentHint, tool).toBe(
      annotations?.readOnlyHint === true || IDEMPOTENT_WRITES.has(tool),
    )
})

it('brief alone is loaded at once by hosts that search for tools', async () => {
  const [{ listed }] = await loadDialects('waymark', { toolsets: 'all' })
  const loaded = listed.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true)
  expect(loaded.map(({ name }) => name)).toEqual(['brief'])
})

/** One session: what is known, a plan, a claim, a look at the task, its end. */
const SEVEN: readonly (readonly [name: string, args: Fields])[] = [
  ['task_create', { tasks: [{ title: 'Write the schema', key: 's' }, { title: 'Queries' }] }],
  ['task_next', { claim: true }],
  ['recall', { query: 'sqlite' }],
  ['recall', { id: '1' }],
  ['task_get', {}],
  ['brief', {}],
  ['task_update', { ids: ['2'], action: 'complete', fence: 1, reason: 'tables written' }],
]

it('seven typical answers cost a known host 30 % less than data, and 60 % less than both [answers-cost]', async () => {
  const costs = { text: 0, data: 0 }
  for (const name of ['claude-code', 'somebody-else']) {
    await using client = await connect('waymark', { clientInfo: { name, version: '1' } })
    const content = 'One file and no server; readers do not wait for writers.'
    await client.result('remember', { type: 'decision', title: 'Use SQLite', content })
    for (const [tool, args] of SEVEN) {
      const { content: blocks, structuredContent } = await client.result(tool, args)
      if (name === 'claude-code') {
        expect(structuredContent, tool).toBeUndefined()
        costs.text += encode(blocks.map(({ text }) => text).join('\n')).length
      } else costs.data += encode(JSON.stringify(structuredContent)).length
    }
  }
  process.stdout.write(`tokens of seven answers (o200k): ${JSON.stringify(costs)}\n`)
  expect(costs.text).toBeLessThan(0.7 * costs.data)
  expect(costs.text).toBeLessThan(0.4 * (costs.text + costs.data))
})
