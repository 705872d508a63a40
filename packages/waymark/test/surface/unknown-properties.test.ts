import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { batchEntities } from '../../src/entity/batch.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { connect } from '../dialects/client.ts'
import { setup } from '../setup.ts'
import { shell } from './shell.ts'
import { createTestSite } from './test-site.ts'

const REFUSED = {
  code: 'invalid_input',
  message: 'properties.due_dat: is unknown; did you mean due_date?',
  details: { field: 'properties.due_dat', rule: 'unknown_field' },
}
const MISSPELT = { type: 'task', title: 'T', properties: { due_dat: '2026-12-24' } }

describe('a property that the type does not have', () => {
  it('is refused when an entity is created or changed, and nothing is stored [unknown-properties-refused-entity]', async () => {
    await using project = await setup()
    const { context } = project
    await expect(execute(context, createEntity, MISSPELT)).rejects.toMatchObject(REFUSED)
    await execute(context, createEntity, { type: 'task', title: 'T' })
    const before = await context.store.events.latest()
    for (const due_dat of ['2026-12-24', null]) {
      const edit = { id: '1', title: 'U', properties: { due_dat } }
      await expect(execute(context, updateEntity, edit)).rejects.toMatchObject(REFUSED)
    }
    expect(await context.store.events.latest()).toBe(before)
  })

  it('is refused also if another type has it', async () => {
    await using project = await setup()
    const note = { type: 'note', title: 'N', properties: { status: 'accepted' } }
    await expect(execute(project.context, createEntity, note)).rejects.toMatchObject({
      message: 'properties.status: is unknown; the fields here are note_type',
    })
  })

  it('fails its step of a batch alone', async () => {
    await using project = await setup()
    const operations = [
      { op: 'create', ...MISSPELT },
      { op: 'create', type: 'note', title: 'N' },
    ]
    const { results } = await execute(project.context, batchEntities, { operations })
    expect(results).toMatchObject([{ success: false, error: REFUSED }, { success: true }])
  })

  it('is refused over HTTP with 400', async () => {
    await using project = await setup()
    await using site = createTestSite(project.directory)
    const response = await site.ask('/api/entity.create', {
      method: 'POST',
      body: JSON.stringify(MISSPELT),
      headers: { 'content-type': 'application/json' },
    })
    expect([response.status, await response.json()]).toMatchObject([400, { error: REFUSED }])
  })

  it('is refused at the command line', async () => {
    await using sh = await shell()
    expect(await sh.run(['add', '--input', JSON.stringify(MISSPELT)])).toMatchObject({
      exit: 2,
      err: expect.stringContaining(REFUSED.message),
    })
  })

  it('is refused by the tools, but for the dialect whose specification ignores it', async () => {
    await using client = await connect('waymark')
    expect((await client.refusal('remember', MISSPELT))['error']).toMatchObject(REFUSED)
    await using medulla = await connect('medulla')
    const made = await medulla.call('entity_create', MISSPELT)
    expect(made).toMatchObject({
      properties: expect.not.objectContaining({ due_dat: '2026-12-24' }),
    })
    const operations = [{ op: 'update', id: '1', properties: { due_dat: 'x', priority: 'high' } }]
    expect(await medulla.call('entity_batch', { operations })).toMatchObject({ succeeded: 1 })
  })

  it('what was read of an entity can be sent back whole, with what operations have written', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'task', title: 'T' })
    await execute(context, completeTask, { id: '1', reason: 'done' })
    const { properties } = await execute(context, getEntity, { id: '1' })
    expect(properties).toMatchObject({ completed_at: expect.any(String), close_reason: 'done' })
    expect(await execute(context, updateEntity, { id: '1', properties })).toMatchObject({
      properties,
    })
  })
})
