import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity } from '../../src/sync/history/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { claimTask, releaseTask } from '../../src/task/lease/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { editTasks } from '../../src/task/state/bulk.ts'
import { removeTask } from '../../src/task/operations.ts'
import { type Clone, createTeam, openClone } from '../replica/clones.ts'
import { Child } from './child.ts'

const MARKER = /xyloqu|zebrafant/i

const stateDir = (clone: Clone): string => join(clone.directory, '.git', 'waymark')

/** The files of the store in which the marker is. */
function filesWithMarker(clone: Clone): string[] {
  const files = readdirSync(stateDir(clone), { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => MARKER.test(readFileSync(path, 'latin1')))
}

/** An entity with the marker wherever one can write, now and in earlier versions, among others that stay. */
async function writeSecret(clone: Clone, key = 'xyloquartz'): Promise<string> {
  const filler = 'nothing of importance\n'.repeat(400)
  for (let n = 0; n < 20; n++) {
    await clone.run(createEntity, { type: 'note', title: `a note ${n}`, content: filler })
  }
  const { id } = await clone.run(createEntity, {
    type: 'task',
    title: 'the Xyloquartz of old',
    content: `${filler}xyloquartz`,
    tags: ['xyloquartz'],
    properties: { external_ref: 'xyloquartz', key },
  })
  const other = await clone.run(createEntity, { type: 'note', title: 'a note that stays' })
  await clone.run(createRelation, {
    source: other.id,
    target: id,
    type: 'documents',
  })
  await clone.run(claimTask, { id })
  await clone.run(releaseTask, { id, reason: 'beyond every zebrafant' })
  await clone.run(updateEntity, { id, title: 'the zebrafant', content: `${filler}zebrafant` })
  return id
}

/** Two who sweep at the same time may find each other in the way, and then it is done a moment later. */
async function swept(clone: Clone): Promise<void> {
  await expect.poll(() => clone.store.sweep()).toBe(true)
}

describe('after a purge', () => {
  test('no file of the store has a word of it', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const id = await writeSecret(ada)
    await ada.run(updateEntity, { id, properties: { key: 'XYLOQUARTZ-1' } })
    await ada.run(sendMessage, { task: id, body: 'who does this one?' })
    await ada.sync()
    await ada.run(updateEntity, { id, content: 'a last zebrafant' })
    expect(filesWithMarker(ada)).not.toEqual([])
    await ada.run(purgeEntity, { id, confirm: true })
    await ada[Symbol.asyncDispose]()
    expect(filesWithMarker(ada)).toEqual([])
    await using again = await openClone(ada.directory, 'ada')
    expect(await again.store.search.similarWords('zebrafant', 5)).toEqual([])
    expect(await again.store.search.similarWords('importanse', 5)).toContain('importance')
    expect(await again.run(checkStore, {})).toMatchObject({ ok: true })
  })

  test('nor of one that was deleted long before, nor where it was purged by a sync', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    const id = await writeSecret(ada)
    await ada.sync()
    await bob.sync()
    await bob.run(deleteEntity, { id })
    await ada.run(purgeEntity, { id, confirm: true })
    await ada.sync()
    await bob.sync({ accept_purges: true })
    await swept(bob)
    expect(filesWithMarker(bob)).toEqual([])
  })

  test('nor does the answer that is kept for a repeated deletion say any', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const [edited, deleted] = [await writeSecret(ada), await writeSecret(ada, 'zebrafant')]
    const edits = [
      { id: edited, action: 'update', title: 'once more the zebrafant' },
      { id: edited, action: 'delete' },
    ]
    const edit = { edits, idempotency_key: 'edit' }
    const { results } = await execute(ada.context, editTasks, edit)
    expect(results[1]?.deleted).toMatchObject({ title: 'once more the zebrafant' })
    const remove = { id: deleted, idempotency_key: 'delete' }
    expect(await execute(ada.context, removeTask, remove)).toMatchObject({ title: 'the zebrafant' })
    await swept(ada)
    expect(filesWithMarker(ada)).toEqual([])
    expect(await execute(ada.context, editTasks, edit)).toMatchObject({
      results: [{ task: { id: edited, title: '' } }, { deleted: { id: edited, title: '' } }],
    })
    expect(await execute(ada.context, removeTask, remove)).toMatchObject({ id: deleted, title: '' })
  })

  test('whoever keeps the old pages by reading them is waited for', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const id = await writeSecret(ada)
    const reader = new Child('reader', [join(stateDir(ada), 'waymark.db')])
    expect(await reader.line(1)).toBe('reading')
    await ada.run(purgeEntity, { id, confirm: true })
    expect(await ada.store.sweep()).toBe(false)
    const { checks } = await ada.run(checkStore, {})
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'purged content', status: 'warning' }),
    )
    expect(filesWithMarker(ada)).not.toEqual([])
    reader.send('stop reading')
    expect(await reader.line(2)).toBe('idle')
    await swept(ada)
    expect(filesWithMarker(ada)).toEqual([])
    reader.send('end')
    await reader.finish()
    expect(filesWithMarker(ada)).toEqual([])
  })
})
