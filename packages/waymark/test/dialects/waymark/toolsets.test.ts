import { describe, expect, it } from 'vitest'
import { loadDialects } from '../../../src/dialects/load-dialects.ts'
import type { ToolSelection } from '../../../src/dialects/select-tools.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'

const CORE = [
  'brief',
  'recall',
  'remember',
  'task_create',
  'task_update',
  'task_get',
  'task_next',
  'message_send',
  'inbox',
  'code_why',
  'annotate',
  'events',
]

async function connectWith(selection: ToolSelection): Promise<DialectClient> {
  const dialects = await loadDialects('waymark', selection)
  return connect('waymark', {
    server: { dialects, access: { readOnly: selection.readOnly === true } },
  })
}

async function namesOf(client: DialectClient): Promise<readonly string[]> {
  const { result } = await client.request('tools/list')
  return ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}

describe('the tool list', () => {
  it('is short by default', async () => {
    await using client = await connectWith({})
    expect(await namesOf(client)).toEqual(CORE)
  })

  it('grows by the toolsets that are named', async () => {
    await using client = await connectWith({ toolsets: 'core, Graph' })
    expect(await namesOf(client)).toEqual(
      expect.arrayContaining([...CORE, 'graph_path', 'relation_create']),
    )
    await using all = await connectWith({ toolsets: 'all' })
    const names = await namesOf(all)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining([...CORE, 'entity_create', 'project_stats']))
  })

  it('leaves out what changes something on a server that refuses changes', async () => {
    await using client = await connectWith({ readOnly: true, toolsets: 'core,entities' })
    const names = await namesOf(client)
    expect(names).toEqual(expect.arrayContaining(['brief', 'recall', 'task_get', 'entity_list']))
    expect(names).not.toContain('remember')
    expect(names).not.toContain('task_next')
    expect(await client.refusal('remember', { type: 'note', title: 'X' })).toMatchObject({
      error: { code: 'forbidden' },
    })
  })

  it('is what is allowed, and nothing else can be called', async () => {
    await using client = await connectWith({ tools: 'recall,entity_get' })
    expect(await namesOf(client)).toEqual(['recall', 'entity_get'])
    const { error } = await client.request('tools/call', { name: 'remember', arguments: {} })
    expect(error).toMatchObject({ message: 'Unknown tool: remember' })
  })

  it('has no tool that is not found by its name', async () => {
    const [dialect] = await loadDialects('waymark', { toolsets: 'all' })
    for (const { name } of dialect.listed) {
      const found = await dialect.loadTools(name)
      expect(found.map(({ listed }) => listed.name)).toContain(name)
    }
    expect(await dialect.loadTools('toString')).toEqual([])
  })

  it('is named with dots or without', async () => {
    for (const tools of ['lodestar.task.claim', 'lodestar_task_claim']) {
      const [lodestar] = await loadDialects('lodestar', { tools })
      expect(lodestar.listed.map(({ name }) => name)).toEqual(['lodestar.task.claim'])
      expect(await lodestar.loadTools()).toHaveLength(1)
    }
  })

  it('says of whatever may delete that it may destroy', async () => {
    await using client = await connectWith({ toolsets: 'all' })
    const { result } = await client.request('tools/list')
    const tools = (result?.['tools'] ?? []) as { name: string; annotations: Fields }[]
    const destructive = tools.filter(({ annotations }) => annotations['destructiveHint'] === true)
    const names = destructive.map(({ name }) => name)
    for (const name of ['entity_batch', 'entity_delete', 'history_undo']) {
      expect(names).toContain(name)
    }
    // What it does to tasks can be undone, though the operation behind it deletes too.
    for (const name of ['entity_update', 'task_update']) expect(names).not.toContain(name)
    const [medulla] = await loadDialects('medulla')
    const batch = medulla.listed.find(({ name }) => name === 'entity_batch')
    expect(batch?.annotations).toMatchObject({ destructiveHint: true })
  })

  it.each([
    [{ toolsets: 'core,magic' }, /toolsets: must be one or more of core, graph/],
    [{ tools: 'recall,forget' }, /tools: there is no tool "forget" among brief, recall/],
    [{ tools: 'recal' }, /tools: there is no tool "recal"; did you mean recall\?/],
  ])('refuses %o', async (selection, message) => {
    await expect(loadDialects('waymark', selection)).rejects.toThrow(message)
  })

  it('has no tool that overlooks the misspelt name of a field', async () => {
    await using client = await connectWith({ toolsets: 'all' })
    for (const name of await namesOf(client)) {
      const { error } = await client.refusal(name, { misspelt: true })
      expect(error, name).toMatchObject({ details: { field: 'misspelt', rule: 'unknown_field' } })
    }
  })

  it('names what it does not know as it was typed', async () => {
    const tools = 'lodestar.task.clam'
    await expect(loadDialects('lodestar', { tools })).rejects.toMatchObject({
      message: `tools: there is no tool "${tools}"; did you mean lodestar.task.claim?`,
      details: { value: tools },
    })
  })
})
