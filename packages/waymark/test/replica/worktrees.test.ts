import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createEntity, updateEntity } from '../../src/operations/entities.ts'
import { promoteStore } from '../../src/operations/store-promote.ts'
import { initialiseProject } from '../../src/project.ts'
import { createTeam, openClone } from './clones.ts'

const note = { type: 'note', title: 'a note' } as const

describe('worktrees', () => {
  test('share one store, and one of them can have its own until it is promoted', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    ada.git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'x', '--allow-empty')
    const path = join(ada.directory, '..', 'worktree')
    ada.git('worktree', 'add', '--quiet', path)
    const { id } = await ada.run(createEntity, note)

    await using sharing = await openClone(path, 'sharing')
    expect(await sharing.snapshot()).toEqual(await ada.snapshot())

    await initialiseProject(path, { scope: 'worktree' })
    await using alone = await openClone(path, 'alone')
    expect(await alone.snapshot()).toEqual([])
    alone.tick(1000)
    const mine = await alone.run(createEntity, { ...note, title: 'tried out' })
    await alone.run(updateEntity, { id: mine.id, content: 'and it works' })
    expect(await ada.snapshot()).toHaveLength(1)
    await expect(alone.sync()).rejects.toMatchObject({ details: { reason: 'isolated' } })

    expect(await alone.run(promoteStore, {})).toMatchObject({ created: 1, renumbered: [{ to: 2 }] })
    expect(await alone.run(promoteStore, {})).toMatchObject({ created: 0, updated: 0 })
    expect(await ada.store.entities.byId(mine.id)).toMatchObject({ content: 'and it works' })
    expect((await ada.store.entities.byId(id))?.number).toBe(1)
    expect((await ada.sync()).sent.entities).toBe(2)
    await expect(ada.run(promoteStore, {})).rejects.toMatchObject({ code: 'conflict' })
  })

  test('of their own are for linked worktrees only', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await expect(initialiseProject(ada.directory, { scope: 'worktree' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
