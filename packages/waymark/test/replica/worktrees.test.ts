import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkLocally } from '../../src/health/local-checks.ts'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { promoteStore } from '../../src/integrity/promote.ts'
import { initialiseProject } from '../../src/core/project/project.ts'
import { type Clone, createTeam, git, openClone, type Team } from './clones.ts'

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

  test('that are moved keep a store of their own when Git prunes and collects garbage', async () => {
    await using team = createTeam()
    const { ada, path, state } = await createTrial(team)
    const moved = `${path}-moved`
    renameSync(path, moved)
    ada.git('worktree', 'prune', '--expire', 'now')
    ada.git('-c', 'gc.worktreePruneExpire=now', 'gc', '--quiet')
    expect(existsSync(join(state, 'waymark.db'))).toBe(true)
    await using alone = await openClone(moved, 'alone')
    expect(await alone.snapshot()).toHaveLength(1)
    git(moved, 'worktree', 'repair')
    expect(() => ada.git('worktree', 'remove', '--force', moved)).toThrow(
      /cannot remove a locked working tree, lock reason: Waymark keeps a store .*waymark store promote/,
    )
    // Who asks for it gets it.
    ada.git('worktree', 'unlock', moved)
    ada.git('worktree', 'remove', moved)
    expect(existsSync(state)).toBe(false)
  })

  test('with a store from before are locked as soon as any worktree is used, and a lock of the user’s stays', async () => {
    await using team = createTeam()
    const { ada, path, state } = await createTrial(team)
    const locked = join(state, '..', 'locked')
    ada.git('worktree', 'unlock', path)
    expect(existsSync(locked)).toBe(false)
    rmSync(path, { recursive: true })
    await using _ = await openClone(ada.directory, 'another process')
    expect(readFileSync(locked, 'utf8')).toContain('Waymark keeps a store')
    ada.git('worktree', 'prune', '--expire', 'now')
    expect(existsSync(state)).toBe(true)
    writeFileSync(locked, 'on a stick')
    await using _again = await openClone(ada.directory, 'another process')
    expect(readFileSync(locked, 'utf8')).toBe('on a stick')
  })

  test('whose folder is gone are named by doctor, and a new folder gets at their store', async () => {
    await using team = createTeam()
    const { ada, path, state } = await createTrial(team)
    const project = { root: ada.directory, stateDir: join(ada.directory, '.git', 'waymark') }
    const look = async () =>
      (await checkLocally(ada.directory, project)).filter(({ name }) => name === 'worktrees')
    expect(await look()).toEqual([])
    rmSync(path, { recursive: true })
    expect(await look()).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^worktree trial is not where/) },
    ])
    mkdirSync(path)
    writeFileSync(join(path, '.git'), `gitdir: ${join(state, '..')}\n`)
    await using alone = await openClone(path, 'alone')
    expect(await alone.run(promoteStore, {})).toMatchObject({ created: 1 })
    expect(await ada.snapshot()).toHaveLength(1)
    expect(await look()).toEqual([])
  })

  test('of their own are for linked worktrees only', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await expect(initialiseProject(ada.directory, { scope: 'worktree' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})

interface Trial {
  readonly ada: Clone
  /** Folder of a linked worktree with a store of its own, in which there is one note. */
  readonly path: string
  /** Folder of that store. */
  readonly state: string
}

async function createTrial(team: Team): Promise<Trial> {
  const ada = await team.clone('ada')
  ada.git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'x', '--allow-empty')
  const path = join(ada.directory, '..', 'trial')
  ada.git('worktree', 'add', '--quiet', path)
  const { state } = await initialiseProject(path, { scope: 'worktree' })
  await using alone = await openClone(path, 'alone')
  await alone.run(createEntity, note)
  return { ada, path, state }
}
