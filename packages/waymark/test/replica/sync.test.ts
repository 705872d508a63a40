import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { mergeNotes } from '../../src/annotation/merge/merge-notes.ts'
import { updateNotes } from '../../src/annotation/notes/write-notes.ts'
import type { Repository } from '../../src/git/repository.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity } from '../../src/sync/history/operations.ts'
import { LOG_REF } from '../../src/sync/log/log-ref.ts'
import { fetchRemote, findRemote } from '../../src/sync/remote/remote.ts'
import { toSegments } from '../../src/sync/log/segment.ts'
import { execute } from '../../src/core/execute.ts'
import { runSync } from '../../src/sync/operations.ts'
import { type Clone, createTeam, git, openClone, putLog } from './clones.ts'
import { START, useStore } from './replicas.ts'
import { toCommitId } from '../../src/git/history/commit-id.ts'

const note = { type: 'note', title: 'a note' } as const

async function expectSame(...clones: readonly Clone[]): Promise<void> {
  const [first, ...others] = await Promise.all(clones.map((clone) => clone.snapshot()))
  for (const other of others) expect(other).toEqual(first)
}

describe('sync', () => {
  test('lets an arrival keep its number when the entity that has it here was purged', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    const { id } = await ada.run(createEntity, { ...note, title: 'kept' })
    await ada.sync()
    const { id: purged, number } = await bob.run(createEntity, { ...note, title: 'purged' })
    expect(number).toBe(1)
    await bob.run(purgeEntity, { id: purged, confirm: true })
    expect((await bob.sync()).renumbered).toEqual([])
    await ada.sync({ accept_purges: true })
    for (const clone of [ada, bob]) expect((await clone.run(getEntity, { id })).number).toBe(1)
    await expectSame(ada, bob)
    expect((await bob.run(createEntity, note)).number).toBe(3)
  })

  test('that gives an entity another number says its title, and the news name it by that number [renumbered-by-title]', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    await ada.run(createEntity, { ...note, title: 'Prices' })
    await bob.run(createEntity, { ...note, title: 'Taxes' })
    await ada.sync()
    const report = await bob.sync()
    expect(report.renumbered).toMatchObject([{ from: 1, to: 2, title: 'Taxes' }])
    const { changes } = await bob.run(showBrief, {})
    // By author, not by the clone that took it in.
    expect(changes).toMatchObject([{ number: 1, title: 'Prices', by: 'ada' }])
    const reader = useStore(bob.store, 'reader')
    const news = await reader.run(showBrief, {})
    expect(news.changes.map(({ number, title }) => [number, title])).toEqual([
      [1, 'Prices'],
      [2, 'Taxes'],
    ])
    const { recent } = await bob.run(showStatus, {})
    expect(new Set(recent.map(({ number, title }) => `${number} ${title}`))).toEqual(
      new Set(['1 Prices', '2 Taxes']),
    )
  })

  test('that gives a number to another entity makes it ambiguous here for a while, and nowhere else [former-number]', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    await ada.run(createEntity, { ...note, title: 'Prices' })
    await bob.run(createEntity, { ...note, title: 'Taxes' })
    await ada.sync()
    await bob.sync()
    await ada.sync()
    const titleOf = async (clone: Clone, id: string) => (await clone.run(getEntity, { id })).title
    await expect(bob.run(updateEntity, { id: '1', tags: ['x'] })).rejects.toMatchObject({
      code: 'ambiguous_id',
      message: 'id: "1" is #1 Prices since a sync, and was #2 Taxes before; say #1 or 2',
    })
    expect(await titleOf(bob, '#1')).toBe('Prices')
    expect(await titleOf(bob, '2')).toBe('Taxes')
    expect(await titleOf(ada, '1')).toBe('Prices')
    bob.tick(8 * 24 * 60 * 60 * 1000)
    await bob.run(createEntity, note)
    expect(await titleOf(bob, '1')).toBe('Prices')
    // A deleted entity keeps its number.
    await bob.run(deleteEntity, { id: '#1' })
    await expect(titleOf(bob, '1')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('brings everything to a fresh clone, which finds the log by itself', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    for (let n = 0; n < 5; n++) await ada.run(createEntity, { ...note, title: `note ${n}` })
    expect(await ada.sync()).toMatchObject({
      remote: 'origin',
      sent: { entities: 5, pushed: true },
    })
    const bob = await team.clone('bob')
    expect(await bob.sync()).toMatchObject({
      received: { created: 5, updated: 0 },
      sent: { entities: 0, pushed: true },
      damaged: 0,
    })
    await expectSame(ada, bob)
    expect(bob.git('status', '--porcelain')).toBe('')
    expect(git(team.remote, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  test('a second time does nothing, not even a commit', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, note)
    await ada.sync()
    const tip = ada.git('rev-parse', 'refs/waymark/log')
    expect(await ada.sync()).toMatchObject({ sent: { entities: 0 }, received: { created: 0 } })
    expect(ada.git('rev-parse', 'refs/waymark/log')).toBe(tip)
  })

  test('of two who push at the same time ends with both edits in both clones', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, {
      type: 'decision',
      title: 'storage',
      content: 'one\n\ntwo\n\nthree\n',
    })
    await ada.sync()
    const bob = await team.clone('bob')
    await bob.sync()
    await ada.run(updateEntity, { id, content: 'ONE\n\ntwo\n\nthree\n' })
    await bob.run(updateEntity, { id, content: 'one\n\ntwo\n\nTHREE\n' })
    await Promise.all([ada.sync(), bob.sync()])
    await Promise.all([ada.sync(), bob.sync()])
    await expectSame(ada, bob)
    expect((await ada.run(getEntity, { id })).content).toBe('ONE\n\ntwo\n\nTHREE\n')
  })

  test('of five who push at the same time loses nothing', async () => {
    await using team = createTeam()
    const clones: Clone[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) clones.push(await team.clone(name))
    await Promise.all(clones.map((clone) => clone.run(createEntity, note)))
    await Promise.all(clones.map((clone) => clone.sync()))
    for (const clone of [...clones, ...clones]) await clone.sync()
    await expectSame(...clones)
    expect(await clones[0]?.snapshot()).toHaveLength(5)
  })

  test('without push keeps what was done here, and sends it the next time', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, note)
    expect((await ada.sync({ push: false })).sent).toEqual({ entities: 1, pushed: false })
    expect(git(team.remote, 'for-each-ref')).toBe('')
    expect((await ada.sync()).sent).toEqual({ entities: 1, pushed: true })
    expect(git(team.remote, 'for-each-ref', '--format=%(refname)')).toBe('refs/waymark/log\n')
  })

  test('as a dry run says what would come and go, and changes nothing', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    await ada.run(createEntity, note)
    await ada.sync()
    await bob.run(createEntity, note)
    const before = await bob.snapshot()
    expect(await bob.sync({ dry_run: true })).toMatchObject({
      dry_run: true,
      received: { created: 1 },
      sent: { entities: 1, pushed: false },
    })
    expect(await bob.snapshot()).toEqual(before)
    expect(bob.git('for-each-ref', 'refs/waymark/log')).toBe('')
  })

  test('with a path instead of a name, and in a repository without any remote', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    ada.git('remote', 'remove', 'origin')
    await ada.run(createEntity, note)
    expect(await ada.sync()).toMatchObject({ sent: { entities: 1, pushed: false } })
    await ada.sync({ remote: team.remote })
    await bob.sync()
    await expectSame(ada, bob)
    await expect(ada.sync({ remote: '--upload-pack=x' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(ada.sync({ remote: '/nowhere' })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
  })

  test('asked for by a tool goes only to a remote that somebody has set up', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const context = { ...ada.context, agent: { name: 'ada', surface: 'mcp' } } as const
    await expect(execute(context, runSync, { remote: team.remote })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await execute(context, runSync, { remote: 'origin' })).toMatchObject({
      remote: 'origin',
    })
  })

  test('of copies of one folder doubles nothing that both had not yet sent', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, content: 'a\nb\n', tags: ['t'] })
    await ada.run(updateEntity, { id, content: 'a\nb\nc\n' })
    await ada[Symbol.asyncDispose]()
    const copy = join(ada.directory, '..', 'copy')
    cpSync(ada.directory, copy, { recursive: true })
    await using first = await openClone(ada.directory, 'ada')
    await using second = await openClone(copy, 'copy')
    await first.run(updateEntity, { id, content: 'a\nb\nc\nfirst\n' })
    await second.run(updateEntity, { id, content: 'second\na\nb\nc\n' })
    for (const clone of [first, second, first]) await clone.sync()
    await expectSame(first, second)
    expect((await first.run(getEntity, { id })).content).toBe('second\na\nb\nc\nfirst\n')
  })

  test('finds everything again after the log was lost', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, note)
    await ada.sync()
    ada.git('update-ref', '-d', 'refs/waymark/log')
    git(team.remote, 'update-ref', '-d', 'refs/waymark/log')
    await ada.sync()
    const bob = await team.clone('bob')
    await bob.sync()
    await expectSame(ada, bob)
  })

  test('sends again what only a lost log had', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    await bob.run(createEntity, note)
    await bob.sync()
    await ada.run(createEntity, { ...note, title: 'never pushed' })
    await ada.sync({ push: false })
    ada.git('update-ref', '-d', 'refs/waymark/log')
    await ada.sync()
    await bob.sync()
    await expectSame(ada, bob)
    expect(await bob.snapshot()).toHaveLength(2)
  })

  test('takes what was purged out of the log, and keeps it out', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const { id } = await ada.run(createEntity, { ...note, title: 'a secret' })
    const other = await ada.run(createEntity, { ...note, title: 'no harm' })
    await ada.sync()
    const bob = await team.clone('bob')
    await bob.sync()
    await bob.run(updateEntity, { id, content: 'still a secret' })
    await ada.run(purgeEntity, { id, confirm: true })
    for (const clone of [ada, bob, ada]) await clone.sync({ accept_purges: true })
    await expectSame(ada, bob)
    const blobs = git(team.remote, 'ls-tree', '--object-only', LOG_REF).trim().split('\n')
    const log = blobs.map((blob) => git(team.remote, 'cat-file', 'blob', blob)).join('')
    expect(log).not.toContain('secret')
    expect(log).toContain('no harm')
    expect(await bob.store.entities.byId(other.id)).toBeDefined()
  })

  test('sends everything to a remote that was made anew', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    await ada.run(createEntity, note)
    await ada.sync()
    git(team.remote, 'update-ref', '-d', 'refs/waymark/log')
    await ada.sync()
    const bob = await team.clone('bob')
    await bob.sync()
    await expectSame(ada, bob)
  })

  test('exchanges the notes of commits too, whoever wrote them', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c'] as const
    ada.git(...identity, 'commit', '-qm', 'one', '--allow-empty')
    ada.git('push', '--quiet', 'origin', 'HEAD:main')
    const bob = await team.clone('bob')
    for (const clone of [ada, bob]) {
      const text = `{"written":"in ${clone.directory.at(-1)}"}`
      clone.git(...identity, 'notes', '--ref=waymark', 'add', '-m', text, 'HEAD')
    }
    await Promise.all([ada.sync(), bob.sync()])
    const { received } = await ada.sync()
    const both = [received.notes, (await bob.sync()).received.notes]
    expect(Math.max(...both)).toBeLessThanOrEqual(1)
    const notes = [ada, bob].map((clone) => clone.git('notes', '--ref=waymark', 'show', 'HEAD'))
    expect(notes[0]).toContain('in a')
    expect(notes[0]).toContain('in b')
    expect(notes[1]).toBe(notes[0])
  })

  test('packs the log before it has many small files, and everybody still agrees', async () => {
    await using team = createTeam()
    const ada = await team.clone('ada')
    const bob = await team.clone('bob')
    for (let n = 0; n < 70; n++) await ada.run(createEntity, { ...note, title: `note ${n}` })
    await writeEachAlone(ada)
    expect(countFiles(ada)).toBe(70)
    // Both pack it without knowing of each other.
    await bob.sync({ remote: ada.directory, push: false })
    await bob.run(createEntity, note)
    for (const clone of [ada, bob, ada]) await clone.sync()
    await expectSame(ada, bob)
    expect(countFiles(ada)).toBeLessThan(5)
    const cleo = await team.clone('cleo')
    await cleo.sync()
    await expectSame(ada, cleo)
  })
})

test('everything that the log is made of is flushed before its ref leads there', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  await ada.run(createEntity, note)
  const repository = (await ada.context.code?.repository()) ?? expect.unreachable()
  const { git, made } = listenTo(repository)
  await putLog(git, toSegments((await ada.lines()).map(({ text }) => text)))
  const writes = made.map((call) => WRITES.exec(call)?.[0])
  expect(writes).toEqual(['index-pack', 'update-ref'])
  for (const call of made) expect(call).toContain('core.fsync=all')
})

test('what is fetched, and the notes that are merged with it, are flushed as well', async () => {
  await using team = createTeam()
  const [ada, bob] = [await team.clone('ada'), await team.clone('bob')]
  const ref = 'refs/notes/waymark'
  const repository = (await bob.context.code?.repository()) ?? expect.unreachable()
  const theirs = (await ada.context.code?.repository()) ?? expect.unreachable()
  for (const [clone, body] of [
    [theirs, '{"a":1}\n'],
    [repository, '{"b":1}\n'],
  ] as const) {
    const edits = new Map([[toCommitId('a'.repeat(40)), () => body]])
    await updateNotes(clone, { ref, edits, author: 'tester', message: 'notes', at: START })
  }
  await ada.sync()
  const { git, made } = listenTo(repository)
  const asked = { notesRefs: [ref], onlyNamed: true }
  const remote = findRemote(await git.remotes(), 'origin', asked) ?? expect.unreachable()
  await fetchRemote(git, remote)
  const [{ remoteRef: from } = expect.unreachable()] = remote.notes
  const merge = { ref, from, author: 'bob', at: START }
  expect(await mergeNotes(git, merge)).toMatchObject({ changed: 1 })
  // There is nothing to be merged where there is nothing yet: theirs is taken over.
  expect(await mergeNotes(git, { ...merge, ref: 'refs/notes/other' })).toMatchObject({ changed: 1 })
  const writes = ['fetch', 'index-pack', 'index-pack', 'update-ref', 'update-ref']
  expect(made.map((call) => WRITES.exec(call)?.[0])).toEqual(writes)
  for (const call of made) expect(call).toContain('core.fsync=all')
})

const WRITES = /mktree|hash-object|commit-tree|update-ref|fast-import|index-pack|fetch/

/** The same repository, and what git is told there that leaves anything behind. */
function listenTo(repository: Repository): { readonly git: Repository; readonly made: string[] } {
  const made: string[] = []
  const heard = (args: readonly string[]) => {
    if (WRITES.test(args.join(' '))) made.push(args.join(' '))
    return args
  }
  const git: Repository = {
    ...repository,
    ask: (args, options) => repository.ask(heard(args), options),
    run: (args, options) => repository.run(heard(args), options),
    reach: (args, call) => repository.reach(heard(args), call),
  }
  return { git, made }
}

/** A log as many small syncs would have left it. */
async function writeEachAlone(clone: Clone): Promise<void> {
  const repository = (await clone.context.code?.repository()) ?? expect.unreachable()
  const segments = (await clone.lines()).flatMap(({ text }) => [...toSegments([text])])
  await putLog(repository, segments)
}

function countFiles(clone: Clone): number {
  return clone.git('ls-tree', LOG_REF).trim().split('\n').length
}
