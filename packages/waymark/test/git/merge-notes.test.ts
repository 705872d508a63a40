import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mergeNotes } from '../../src/annotation/merge/merge-notes.ts'
import { type NotesUpdate, updateNotes } from '../../src/annotation/notes/write-notes.ts'
import type { Repository } from '../../src/git/repository.ts'
import { createTestRepository, type OwnedRepository } from './repository.ts'
import { toCommitId } from '../../src/git/history/commit-id.ts'

const OURS = 'refs/notes/waymark'
const THEIRS = 'refs/notes/remotes/origin/waymark'
const MERGE = { ref: OURS, from: THEIRS, author: 'tester', at: 0 }

function put(ref: string, bodies: Readonly<Record<string, string>>): NotesUpdate {
  const edits = new Map(
    Object.entries(bodies).map(([commit, body]) => [toCommitId(commit), () => body]),
  )
  return { ref, edits, author: 'tester', message: 'notes', at: 0 }
}

function show(test: OwnedRepository, commit: string): string {
  return test.git('notes', '--ref', OURS, 'show', commit)
}

/** Both refs at the same place, with a note of each of these commits. */
async function parted(count: number) {
  const test = createTestRepository()
  const commits = test.commitMany(count)
  const bodies = Object.fromEntries(commits.map((commit, at) => [commit, `{"n":${at}}\n`]))
  await updateNotes(test.repository, put(OURS, bodies))
  test.git('update-ref', THEIRS, OURS)
  return { test, commits }
}

describe('merging notes', () => {
  it('leaves what only we have changed, takes what only they have added to, and joins the rest', async () => {
    const { test, commits } = await parted(4)
    await using _ = test
    const [mine = '', theirs = '', both = '', same = ''] = commits
    await updateNotes(test.repository, put(OURS, { [mine]: '{"o":1}\n', [both]: '{"o":2}\n' }))
    await updateNotes(
      test.repository,
      put(THEIRS, { [theirs]: '{"n":1}\n{"t":1}\n', [both]: '{"t":2}\n' }),
    )
    expect(await mergeNotes(test.repository, MERGE)).toEqual({ changed: 2, setAside: [] })
    expect([mine, theirs, both, same].map((commit) => show(test, commit))).toEqual([
      '{"o":1}\n',
      '{"n":1}\n{"t":1}\n',
      '{"o":2}\n{"t":2}\n',
      '{"n":3}\n',
    ])
    expect(test.git('merge-base', OURS, THEIRS)).toBe(test.git('rev-parse', THEIRS))
    expect(await mergeNotes(test.repository, MERGE)).toEqual({ changed: 0, setAside: [] })
    expect(test.fsck()).toBe('')
  })

  it('joins again what another process writes while it is prepared, and holds the lock only then', async () => {
    const { test, commits } = await parted(30)
    await using _ = test
    const bodies = (name: string) =>
      Object.fromEntries(commits.map((commit) => [commit, `{"${name}":1}\n`]))
    await updateNotes(test.repository, put(OURS, bodies('ours')))
    await updateNotes(test.repository, put(THEIRS, bodies('theirs')))
    const [first = '', second = ''] = commits
    const held: boolean[] = []
    const run: Repository['run'] = async (args, options) => {
      if (args.includes('index-pack')) {
        held.push(existsSync(join(test.repository.stateDir, 'notes.lock')))
        if (held.length === 1) {
          const late = { [first]: '{"late":1}\n', [test.commit('new')]: '{"new":1}\n' }
          await updateNotes(test.repository, put(OURS, late))
        }
      }
      return await test.repository.run(args, options)
    }
    await mergeNotes({ ...test.repository, run }, MERGE)
    // What takes long is done before the lock is taken.
    expect(held[0]).toBe(false)
    expect(held.slice(1)).not.toContain(false)
    expect(show(test, first)).toBe('{"late":1}\n{"theirs":1}\n')
    expect(show(test, second)).toBe('{"ours":1}\n{"theirs":1}\n')
    expect(show(test, 'HEAD')).toBe('{"new":1}\n')
    expect(test.fsck()).toBe('')
  })

  it('is told to stop and has then changed nothing', async () => {
    const { test, commits } = await parted(3)
    await using _ = test
    const [one = ''] = commits
    await updateNotes(test.repository, put(OURS, { [one]: '{"o":1}\n' }))
    await updateNotes(test.repository, put(THEIRS, { [one]: '{"t":1}\n' }))
    const before = test.git('rev-parse', OURS)
    const merge = { ...MERGE, signal: AbortSignal.abort(new Error('stop')) }
    await expect(mergeNotes(test.repository, merge)).rejects.toThrow('stop')
    expect(test.git('rev-parse', OURS)).toBe(before)
  })
})
