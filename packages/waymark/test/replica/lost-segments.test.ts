import { describe, expect, test } from 'vitest'
import { createEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity } from '../../src/sync/history/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { LOG_REF } from '../../src/sync/log/log-ref.ts'
import { type Clone, createTeam, git, type Team } from './clones.ts'

const note = { type: 'note', title: 'a note' } as const

/** The log in the clone and in the remote, as if somebody had put it there by force. */
function forceLog(team: Team, clone: Clone, commit: string): void {
  clone.git('push', '--quiet', '--force', 'origin', `${commit}:${LOG_REF}`)
  clone.git('update-ref', LOG_REF, commit)
  expect(git(team.remote, 'rev-parse', LOG_REF).trim()).toBe(commit)
}

const tipOf = (clone: Clone): string => clone.git('rev-parse', LOG_REF).trim()

const segmentsOf = (clone: Clone, version: string): string[] =>
  clone.git('ls-tree', '--name-only', version).trim().split('\n')

/** A version of the log after this one, in which these segments are missing. */
function without(clone: Clone, version: string, segments: readonly string[]): string {
  const run = (...args: readonly string[]): string =>
    clone.git('-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args).trim()
  run('read-tree', version)
  run('rm', '--quiet', '--cached', '--', ...segments)
  const tree = run('write-tree')
  run('read-tree', '--empty')
  return run('commit-tree', tree, '-p', version, '-m', 'cut')
}

async function lossOf(clone: Clone): Promise<string | undefined> {
  const { checks } = await clone.run(checkStore, {})
  return checks.find(({ name }) => name === 'log history')?.status
}

describe('what the log has lost is written there again', () => {
  test('when one segment was taken out', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, note)
    await ada.sync()
    const [first = ''] = segmentsOf(ada, LOG_REF)
    await ada.run(createEntity, { ...note, title: 'another' })
    await ada.run(updateEntity, { id, content: 'more' })
    await ada.sync()
    expect(await lossOf(ada)).toBe('ok')
    forceLog(team, ada, without(ada, tipOf(ada), [first]))
    expect(await lossOf(ada)).toBe('warning')
    expect((await ada.sync({ dry_run: true })).sent).toEqual({ entities: 1, pushed: false })
    expect((await ada.sync()).sent).toEqual({ entities: 1, pushed: true })
    expect(await lossOf(ada)).toBe('ok')
    const bob = await team.clone('bob')
    expect(await bob.sync()).toMatchObject({ received: { created: 2 }, waiting: 0 })
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
    expect((await ada.sync()).sent.entities).toBe(0)
  })

  test('when it was put back to what it had been', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, note)
    const secret = await ada.run(createEntity, note)
    await ada.sync()
    const old = tipOf(ada)
    const bob = await team.clone('bob')
    await bob.sync()
    await bob.run(updateEntity, { id, title: 'by bob' })
    await bob.sync()
    await ada.sync()
    await ada.run(purgeEntity, { id: secret.id, confirm: true })
    await ada.sync()
    forceLog(team, ada, old)
    expect(await lossOf(ada)).toBe('warning')
    await ada.sync()
    expect(await lossOf(ada)).toBe('ok')
    const fresh = await team.clone('fresh')
    for (const clone of [fresh, bob]) await clone.sync({ accept_purges: true })
    for (const clone of [fresh, bob]) expect(await clone.snapshot()).toEqual(await ada.snapshot())
  })

  test('when a segment was spoilt where it is, after a check was asked to repair', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, note)
    await ada.sync()
    const [name = ''] = segmentsOf(ada, LOG_REF)
    const blob = ada.git('hash-object', '-w', '-t', 'blob', '/dev/null').trim()
    ada.git('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`)
    const tree = ada.git('write-tree').trim()
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c']
    forceLog(team, ada, ada.git(...identity, 'commit-tree', tree, '-p', LOG_REF, '-m', 'x').trim())
    expect(await lossOf(ada)).toBe('warning')
    await ada.run(checkStore, { repair: true })
    await ada.sync()
    expect(await lossOf(ada)).toBe('ok')
    const bob = await team.clone('bob')
    await bob.sync()
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })
})
