import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { addStagedNote, clearContext } from '../../src/annotation/write/pending.ts'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { searchByText } from '../../src/search/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { alter } from '../install/damaged-store.ts'
import { setup, START } from '../setup.ts'
import { CLIENT, setupCode } from './code/code-setup.ts'

const FILE = 'src/client.ts'
const DAMAGED = { code: 'storage_corrupt', message: expect.stringContaining('waymark doctor') }

describe('a row that cannot be read', () => {
  it.each([
    ['the copy of a note', `UPDATE annotation SET record = '{'`, 'annotations'],
    ['what is indexed of it', `UPDATE document SET tags = '[' WHERE kind = 'annotation'`, 'words'],
  ])('%s is made again from Git', async (_, damage, name) => {
    await using test = await setupCode()
    test.commit('Add a client', { [FILE]: CLIENT })
    const regions = [{ file: FILE, anchor: 'Client.connect', intent: 'Dial with few retries' }]
    await test.annotate({ summary: 'A client that gives up early', regions })
    const question = { query: 'retries', kinds: ['annotation' as const] }
    const ask = async () => [
      (await test.read({ path: FILE })).regions[0]?.intent,
      (await execute(test.context, searchByText, question)).results[0]?.title,
    ]
    const before = await ask()
    alter(damage)(test.directory)
    await expect(ask()).rejects.toMatchObject(DAMAGED)
    const { checks } = await execute(test.context, checkStore, {})
    expect(checks.filter(({ status }) => status === 'failed')).toMatchObject([{ name }])
    expect(await execute(test.context, checkStore, { repair: true })).toMatchObject({ ok: true })
    expect(await ask()).toEqual(before)
    const after = await execute(test.context, checkStore, {})
    expect(after.checks.filter(({ status }) => status !== 'ok')).toEqual([])
  })

  it('of the events does not keep anybody from undoing what was done since', async () => {
    await using project = await setup()
    const { id } = await execute(project.as('ada'), createEntity, { type: 'note', title: 'A' })
    await execute(project.as('robot'), updateEntity, { id, title: 'B' })
    alter(`UPDATE event SET data = '{'`)(project.directory)
    const ofRobot = { author: 'robot', since: new Date(START).toISOString() }
    expect(await execute(project.context, undoChanges, ofRobot)).toMatchObject({
      entities: [{ id, outcome: 'reverted' }],
    })
  })

  it('of what was said for the next commit can be forgotten', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': '' })
    await execute(test.context, addStagedNote, { text: 'one' })
    alter(`UPDATE pending_note SET content = '{'`)(test.directory)
    await expect(execute(test.context, addStagedNote, { text: 'two' })).rejects.toMatchObject(
      DAMAGED,
    )
    expect(await execute(test.context, clearContext, {})).toEqual({ cleared: 1 })
    await execute(test.context, addStagedNote, { text: 'two' })
  })

  it('is told as such, also when a statement of the database meets it', async () => {
    await using project = await setup()
    const decision = { type: 'decision', title: 'A' } as const
    const { id } = await execute(project.context, createEntity, decision)
    alter(`UPDATE entity SET properties = '{', status = 'superseded'`)(project.directory)
    await expect(project.context.store.entities.supersededBy([id])).rejects.toMatchObject(DAMAGED)
  })
})
