import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBlobs, readBlobs } from '../../src/annotation/notes/read-notes.ts'
import { updateNotes } from '../../src/annotation/notes/write-notes.ts'
import { removeAbandonedKeeps } from '../../src/git/objects/object-writer.ts'
import { refTip } from '../../src/git/refs/ref-tip.ts'
import { useRepository } from './repository.ts'
import type { Repository } from '../../src/git/repository.ts'
import { putLog } from '../replica/clones.ts'
import { toSegments } from '../../src/sync/log/segment.ts'
import { createTestRepository, type OwnedRepository } from './repository.ts'
import type { CommitId } from '../../src/git/history/commit-id.ts'

const REF = 'refs/notes/waymark'
const PRUNE = ['gc', '--quiet', '--prune=now']

function write(repository: Repository, commit: CommitId, body: string): Promise<void> {
  return updateNotes(repository, {
    ref: REF,
    edits: new Map([[commit, () => body]]),
    author: 'tester',
    message: 'notes',
    at: Date.parse('2026-11-15T12:00:00Z'),
  })
}

/** Asks a git that has nothing in memory. */
async function read({ directory }: OwnedRepository, commit: CommitId): Promise<unknown> {
  await using fresh = useRepository(directory)
  const tip = (await refTip(fresh.repository, REF)) ?? expect.unreachable()
  const found = await findBlobs(fresh.repository, { ref: REF, tip }, [commit])
  return await readBlobs(fresh.repository, found.get(commit) ?? '')
}

/** A repository in which something happens before or after a ref is moved for the first time. */
function meddled(
  { repository }: OwnedRepository,
  { before = () => {}, after = () => {} }: { before?: () => void; after?: () => void },
): Repository {
  let isOver = false
  return {
    ...repository,
    run: async (args, options) => {
      const isNow = args.includes('update-ref') && !isOver
      if (isNow) before()
      const result = await repository.run(args, options)
      if (isNow) after()
      isOver ||= isNow
      return result
    },
  }
}

function packFiles({ directory }: OwnedRepository, kind: string): string[] {
  return readdirSync(join(directory, '.git/objects/pack')).filter((name) => name.endsWith(kind))
}

describe('git gc --prune=now', () => {
  it('between the writing of a note and the move of its ref takes nothing away', async () => {
    await using test = createTestRepository()
    const [one, two] = [test.commit('one'), test.commit('two')]
    await write(test.repository, one, 'a\n')
    await write(meddled(test, { before: () => test.git(...PRUNE) }), two, 'b\n')
    expect(await read(test, one)).toEqual({ body: 'a\n' })
    expect(await read(test, two)).toEqual({ body: 'b\n' })
    expect(test.fsck()).toBe('')
    expect(packFiles(test, '.keep')).toEqual([])
    test.git(...PRUNE)
    expect(await read(test, two)).toEqual({ body: 'b\n' })
  })

  it.each(['loose', 'packed'])(
    'takes away an object that nothing leads to and that a new note has as well, %s: the note keeps its own',
    async (form) => {
      await using test = createTestRepository()
      const commit = test.commit('one')
      writeFileSync(join(test.directory, 'left.txt'), 'the same text\n')
      const blob = test.git('hash-object', '-w', 'left.txt').trim()
      if (form === 'packed') {
        test.git('update-ref', 'refs/left/behind', blob)
        test.git('repack', '-a', '-d', '--quiet')
        test.git('update-ref', '-d', 'refs/left/behind')
      }
      const repository = meddled(test, { before: () => test.git(...PRUNE) })
      await write(repository, commit, 'the same text\n')
      expect(await read(test, commit)).toEqual({ body: 'the same text\n' })
      expect(test.fsck()).toBe('')
    },
  )

  it('while another process moves the ref, so that all is written twice, takes nothing away', async () => {
    await using test = createTestRepository()
    const [one, two] = [test.commit('one'), test.commit('two')]
    const before = () => {
      test.git('notes', '--ref', REF, 'add', '-m', 'theirs', two)
      test.git(...PRUNE)
    }
    await write(meddled(test, { before }), one, 'ours\n')
    test.git(...PRUNE)
    expect(await read(test, one)).toEqual({ body: 'ours\n' })
    expect(await read(test, two)).toEqual({ body: 'theirs\n' })
    expect(test.fsck()).toBe('')
  })

  it('between the writing of the log and the move of its ref takes nothing away', async () => {
    await using test = createTestRepository()
    test.commit('one')
    const repository = meddled(test, { before: () => test.git(...PRUNE) })
    await putLog(repository, toSegments(['a line', 'another line']))
    expect(test.git('ls-tree', 'refs/waymark/log').trim().split('\n')).toHaveLength(1)
    expect(test.fsck()).toBe('')
  })
})

describe('packs of notes', () => {
  it('that are deleted by hand as soon as the ref has moved are written again', async () => {
    await using test = createTestRepository()
    const commit = test.commit('one')
    const folder = join(test.directory, '.git/objects/pack')
    const after = () => {
      for (const name of packFiles(test, '')) rmSync(join(folder, name), { force: true })
    }
    await write(meddled(test, { after }), commit, 'a\n')
    expect(await read(test, commit)).toEqual({ body: 'a\n' })
    expect(test.fsck()).toBe('')
  })

  it('stay few, however many notes are written one by one', async () => {
    await using test = createTestRepository()
    const commits = test.commitMany(40)
    for (const commit of commits) await write(test.repository, commit, `note of ${commit}\n`)
    expect(packFiles(test, '.pack').length).toBeLessThan(17)
    for (const commit of commits) {
      expect(await read(test, commit)).toEqual({ body: `note of ${commit}\n` })
    }
    expect(test.fsck()).toBe('')
    expect(packFiles(test, '.keep')).toEqual([])
  })

  it('of a writer that was killed are given back to git', async () => {
    await using test = createTestRepository()
    test.commit('one')
    const folder = join(test.directory, '.git/objects/pack')
    const { hostname } = await import('node:os')
    const name = (digit: string) => join(folder, `pack-${digit.repeat(40)}.keep`)
    writeFileSync(name('a'), `waymark 999999999 ${hostname()}\n`)
    writeFileSync(name('b'), `waymark ${process.pid} ${hostname()}\n`)
    writeFileSync(name('c'), 'of another program\n')
    expect(removeAbandonedKeeps(test.repository)).toBe(1)
    expect(['a', 'b', 'c'].map((digit) => existsSync(name(digit)))).toEqual([false, true, true])
  })
})
