import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { findBlobs } from '../../src/annotation/notes/read-notes.ts'
import { updateNotes } from '../../src/annotation/notes/write-notes.ts'
import { refTip } from '../../src/git/refs/ref-tip.ts'
import { runClockFast } from '../fast-clock.ts'
import { startWriter } from './notes-writer.ts'
import { createTestRepository, type OwnedRepository } from './repository.ts'
import type { CommitId } from '../../src/git/history/commit-id.ts'

const REF = 'refs/notes/waymark'

function write({ repository }: OwnedRepository, commit: CommitId, body: string): Promise<void> {
  return updateNotes(repository, {
    ref: REF,
    edits: new Map([[commit, () => body]]),
    author: 'tester',
    message: 'notes',
    at: Date.parse('2026-11-15T12:00:00Z'),
  })
}

async function hasNote({ repository }: OwnedRepository, commit: CommitId): Promise<boolean> {
  const tip = await refTip(repository, REF)
  if (tip === undefined) return false
  const found = await findBlobs(repository, { ref: REF, tip }, [commit])
  return typeof found.get(commit) === 'string'
}

function lock(test: OwnedRepository, name: string, text = ''): string {
  const path = join(test.directory, '.git', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Made so long ago that whoever made it cannot still be at it. */
function age(path: string): void {
  const past = new Date(Date.now() - 60 * 60 * 1000)
  utimesSync(path, past, past)
}

describe('our own lock', () => {
  it.each([
    ['a process that is gone', `999999999 ${hostname()}\n`, () => {}],
    ['another machine long ago', '1 elsewhere\n', age],
    ['somebody killed before it wrote its name, long ago', '', age],
  ])('of %s stops nobody', async (_, text, prepare) => {
    await using test = createTestRepository()
    const commit = test.commit('one')
    const path = lock(test, 'waymark/notes.lock', text)
    prepare(path)
    await write(test, commit, 'a\n')
    expect(await hasNote(test, commit)).toBe(true)
    expect(existsSync(path)).toBe(false)
  })

  it('of another machine that may be at work is waited for', async () => {
    await using test = createTestRepository()
    const commit = test.commit('one')
    const path = lock(test, 'waymark/notes.lock', '1 elsewhere\n')
    const written = write(test, commit, 'a\n')
    await sleep(100)
    const wasThereFirst = await hasNote(test, commit)
    rmSync(path)
    await written
    expect([wasThereFirst, await hasNote(test, commit)]).toEqual([false, true])
  })
})

describe('a lock of git itself', () => {
  it('is waited for, and what was to be written is written when it is gone', async () => {
    await using test = createTestRepository()
    const [one, two] = [test.commit('one'), test.commit('two')]
    await write(test, one, 'a\n')
    const path = lock(test, `${REF}.lock`)
    const written = write(test, two, 'b\n')
    await sleep(100)
    const wasThereFirst = await hasNote(test, two)
    rmSync(path)
    await written
    expect([wasThereFirst, await hasNote(test, two)]).toEqual([false, true])
    expect(test.fsck()).toBe('')
  })

  it('that nobody takes away, however old, is named and left alone', async () => {
    await using test = createTestRepository()
    const commit = test.commit('one')
    const path = lock(test, `${REF}.lock`)
    age(path)
    {
      using _ = runClockFast()
      await expect(write(test, commit, 'a\n')).rejects.toMatchObject({
        code: 'busy',
        message: expect.stringContaining(`.git/${REF}.lock`),
      })
    }
    // Whether its git still runs only a person can know.
    expect(existsSync(path)).toBe(true)
    expect(await hasNote(test, commit)).toBe(false)
    rmSync(path)
    await write(test, commit, 'a\n')
    expect(await hasNote(test, commit)).toBe(true)
    expect(test.fsck()).toBe('')
  })
})

it('while refs are packed, garbage is collected, branches are rebased and worktrees come and go, every note is kept [notes-locks-refs-packed]', async () => {
  await using test = createTestRepository()
  const base = test.commit('base', { 'a.txt': 'a\n' })
  const commits = test.commitMany(40)
  test.git('branch', 'work', base)
  const writer = startWriter(test.directory, 'writer', commits)
  const chores = [
    ['pack-refs', '--all', '--prune'],
    ['gc', '--quiet'],
    ['worktree', 'add', '--quiet', '--force', '../tree', 'work'],
    ['-C', '../tree', 'commit', '--quiet', '--allow-empty', '--message', 'work'],
    ['-C', '../tree', 'rebase', '--quiet', '--force-rebase', 'main~1'],
    ['worktree', 'remove', '--force', '../tree'],
    ['repack', '-a', '-d', '--quiet'],
  ]
  const done = new Set<readonly string[]>()
  const isOver = () => writer.child.exitCode !== null || writer.child.signalCode !== null
  while (!isOver() || done.size < chores.length) {
    for (const chore of chores) if (succeeds(() => test.git(...chore))) done.add(chore)
    await sleep(1)
  }
  expect(await writer.closed).toBe(0)
  expect(writer.acknowledged).toEqual(commits)
  for (const commit of commits) expect(await hasNote(test, commit)).toBe(true)
  expect(test.fsck()).toBe('')
})

/** One git may be in the way of another; then it says so, and is tried again. */
function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
