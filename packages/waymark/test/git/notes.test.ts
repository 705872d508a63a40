import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mergeNotes } from '../../src/annotation/merge/merge-notes.ts'
import { NotesTree } from '../../src/annotation/notes/notes-tree.ts'
import {
  changedNotes,
  findBlobs,
  listNotes,
  type NotesVersion,
  readBlobs,
} from '../../src/annotation/notes/read-notes.ts'
import { type NotesUpdate, updateNotes } from '../../src/annotation/notes/write-notes.ts'
import { refTip } from '../../src/git/refs/ref-tip.ts'
import type { Repository } from '../../src/git/repository.ts'
import { isFullLevel } from '../level.ts'
import { startWriter } from './notes-writer.ts'
import { createTestRepository, lose, type OwnedRepository } from './repository.ts'
import { type CommitId, toCommitId } from '../../src/git/history/commit-id.ts'

const REF = 'refs/notes/waymark'
/** Notes of each process on commits of its own, and as many on commits that it shares with the others. */
const EACH = isFullLevel ? 10 : 4
const AT = Date.parse('2026-11-15T12:00:00Z')

function put(bodies: Record<string, string>, options: Partial<NotesUpdate> = {}): NotesUpdate {
  return {
    ref: REF,
    edits: new Map(
      Object.entries(bodies).map(([commit, body]) => [toCommitId(commit), () => body]),
    ),
    author: 'tester',
    message: 'notes',
    at: AT,
    ...options,
  }
}

async function readNote(repository: Repository, commit: CommitId): Promise<string | undefined> {
  const tip = await refTip(repository, REF)
  if (tip === undefined) return undefined
  const found = await findBlobs(repository, { ref: REF, tip }, [commit])
  const note = await readBlobs(repository, found.get(commit) ?? '')
  return note !== 'missing' && 'body' in note ? note.body : undefined
}

async function version(repository: Repository): Promise<NotesVersion> {
  return { ref: REF, tip: (await refTip(repository, REF)) ?? expect.unreachable() }
}

function commits(test: OwnedRepository, count: number): CommitId[] {
  return test.commitMany(count)
}

/** Notes of commits that this clone does not have. */
function absent(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [at.toString(16).padStart(40, '0'), `${at}\n`]),
  )
}

/** The note of a commit a second time, one folder deeper: what older versions left behind. */
function plantTwin(test: OwnedRepository, commit: string, body: string): void {
  test.write({ 'twin.txt': body })
  const blob = test.git('hash-object', '-w', 'twin.txt').trim()
  const index = join(test.directory, '.git', 'twin-index')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', test.directory, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_INDEX_FILE: index },
    }).trim()
  git('read-tree', REF)
  git(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${blob},${commit.slice(0, 2)}/${commit.slice(2)}`,
  )
  const tree = git('write-tree')
  test.git('update-ref', REF, test.git('commit-tree', '-p', REF, '-m', 'twin', tree).trim())
}

describe('notes', () => {
  it('are read back byte for byte, by commit and in the list', async () => {
    await using test = createTestRepository()
    const [one = '', two = ''] = commits(test, 2)
    const body = '{"text":"ä\\u0000 \\n"}\n\n\n{"b":1}  \n'
    await updateNotes(test.repository, put({ [one]: body, [two]: 'x\n' }))
    expect(await readNote(test.repository, toCommitId(one))).toBe(body)
    const tip = await version(test.repository)
    expect([...(await listNotes(test.repository, tip)).keys()].toSorted()).toEqual(
      [one, two].toSorted(),
    )
    expect(test.git('notes', '--ref', REF, 'show', two)).toBe('x\n')
    expect(test.fsck()).toBe('')
  })

  it('without a notes ref there are none', async () => {
    await using test = createTestRepository()
    test.commit('one')
    expect(await refTip(test.repository, REF)).toBeUndefined()
  })

  it('an edit that changes nothing moves nothing', async () => {
    await using test = createTestRepository()
    const [one = ''] = commits(test, 1)
    await updateNotes(test.repository, put({ [one]: 'a\n' }))
    const before = await refTip(test.repository, REF)
    await updateNotes(test.repository, put({ [one]: 'a\n' }))
    await updateNotes(test.repository, {
      ...put({}),
      edits: new Map([[toCommitId(one), () => undefined]]),
    })
    expect(await refTip(test.repository, REF)).toBe(before)
  })

  it('changes between two states are told, also when git has moved notes into folders', async () => {
    await using test = createTestRepository()
    const all = commits(test, 3)
    await updateNotes(test.repository, put({ [all[0] ?? '']: 'a\n' }))
    const before = await version(test.repository)
    await updateNotes(
      test.repository,
      put({ ...absent(300), [all[1] ?? '']: 'b\n', [all[2] ?? '']: 'c\n' }),
    )
    const after = await version(test.repository)
    const changed = await changedNotes(test.repository, after, before.tip)
    expect(changed.size).toBe(302 + (changed.has(toCommitId(all[0] ?? '')) ? 1 : 0))
    expect(changed).toContain(all[1])
    expect(await readNote(test.repository, toCommitId(all[0] ?? ''))).toBe('a\n')
    expect((await listNotes(test.repository, after)).size).toBe(303)
  })

  it('an edited note is read, wherever in the tree of 256 notes and more it stands', async () => {
    await using test = createTestRepository()
    const all = commits(test, 3)
    await updateNotes(test.repository, put({ [all[0] ?? '']: 'a\n' }))
    await updateNotes(test.repository, put({ ...absent(300), [all[1] ?? '']: 'b\n' }))
    await updateNotes(test.repository, put({ [all[0] ?? '']: 'z\n', [all[2] ?? '']: 'c\n' }))
    await updateNotes(test.repository, put({ [all[1] ?? '']: 'y\n' }))
    const read = await Promise.all(all.map((commit) => readNote(test.repository, commit)))
    expect(read).toEqual(['z\n', 'y\n', 'c\n'])
    const names = test.git('ls-tree', '-r', '--name-only', REF).trim().split('\n')
    expect(new Set(names.map((name) => name.replaceAll('/', ''))).size).toBe(names.length)
    expect(test.git('notes', '--ref', REF, 'show', all[0] ?? '')).toBe('z\n')
    expect(test.fsck()).toBe('')
  })

  it('a note that stands twice in the tree is read as one, and is one when it is next written', async () => {
    await using test = createTestRepository()
    const [one = '', two = ''] = commits(test, 2)
    await updateNotes(test.repository, put({ [one]: '{"a":1}\n', [two]: 'x\n' }))
    plantTwin(test, one, '{"b":2}\n')
    const both = '{"a":1}\n{"b":2}\n'
    expect(await readNote(test.repository, toCommitId(one))).toBe(both)
    const tip = await version(test.repository)
    const listed = (await listNotes(test.repository, tip)).get(toCommitId(one)) ?? ''
    expect(await readBlobs(test.repository, listed)).toEqual({ body: both })
    await updateNotes(test.repository, {
      ...put({}),
      edits: new Map([[toCommitId(one), (body = '') => `${body}{"c":3}\n`]]),
    })
    const healed = await version(test.repository)
    expect(await new NotesTree(test.repository, healed.tip).find(toCommitId(one))).toHaveLength(1)
    expect(await readNote(test.repository, toCommitId(one))).toBe(`${both}{"c":3}\n`)
    expect([...(await changedNotes(test.repository, healed, tip.tip))]).toEqual([one])
    expect(test.fsck()).toBe('')
  })

  it('a note whose blob is missing is not taken for none: neither written over nor merged away', async () => {
    await using test = createTestRepository()
    const [one = '', two = ''] = commits(test, 2)
    const theirs = 'refs/notes/theirs'
    await updateNotes(test.repository, put({ [one]: 'a\n' }))
    await updateNotes(test.repository, put({ [one]: 'b\n' }, { ref: theirs }))
    const merge = { ref: REF, from: theirs, author: 'tester', at: AT }
    const unreadable = (commit: string) => ({
      code: 'storage_corrupt',
      details: { reason: 'note_unreadable', commit },
    })
    const tip = test.git('rev-parse', REF)
    lose(test, `${theirs}:${one}`)
    await expect(mergeNotes(test.repository, merge)).rejects.toMatchObject(unreadable(one))
    lose(test, `${REF}:${one}`)
    const update = updateNotes(test.repository, put({ [one]: 'c\n' }))
    await expect(update).rejects.toMatchObject(unreadable(one))
    const many = updateNotes(test.repository, put({ ...absent(60), [one]: 'c\n' }))
    await expect(many).rejects.toMatchObject(unreadable(one))
    expect(test.git('rev-parse', REF)).toBe(tip)
    // What is missing is in nobody's way.
    await updateNotes(test.repository, put({ [two]: 'd\n' }))
    expect(await readNote(test.repository, toCommitId(two))).toBe('d\n')
  })

  it('a note for a commit that this clone does not have is kept', async () => {
    await using test = createTestRepository()
    const [one = ''] = commits(test, 1)
    const other = 'a'.repeat(40)
    await updateNotes(test.repository, put({ [one]: 'a\n', [other]: 'b\n' }))
    await updateNotes(test.repository, put({ [other]: 'c\n' }))
    expect(await readNote(test.repository, toCommitId(other))).toBe('c\n')
    expect(await readNote(test.repository, toCommitId(one))).toBe('a\n')
    expect(test.fsck()).toBe('')
  })

  it('somebody who writes with git itself in between is not overwritten', async () => {
    await using test = createTestRepository()
    const [one = '', two = ''] = commits(test, 2)
    let raced = false
    const edit = (body = '') => {
      if (!raced) test.git('notes', '--ref', REF, 'add', '-m', 'theirs', two)
      raced = true
      return `${body}ours\n`
    }
    await updateNotes(test.repository, { ...put({}), edits: new Map([[toCommitId(one), edit]]) })
    expect(await readNote(test.repository, toCommitId(one))).toBe('ours\n')
    expect(await readNote(test.repository, toCommitId(two))).toBe('theirs\n')
  })

  it('8 processes that write notes at once, half of them on the same commits, lose none [notes-8-processes]', async () => {
    await using test = createTestRepository()
    const shared = commits(test, EACH)
    const own = commits(test, 8 * EACH)
    const writers = Array.from({ length: 8 }, (_, at) =>
      startWriter(test.directory, `w${at}`, [...own.slice(at * EACH, (at + 1) * EACH), ...shared]),
    )
    expect(await Promise.all(writers.map(({ closed }) => closed))).toEqual(Array(8).fill(0))
    const names = writers.map((_, at) => `w${at}`)
    for (const commit of shared) {
      const lines = (await readNote(test.repository, commit))?.trim().split('\n') ?? []
      expect(lines.map((line) => (JSON.parse(line) as { from: string }).from).toSorted()).toEqual(
        names,
      )
    }
    for (const [at, commit] of own.entries()) {
      expect(await readNote(test.repository, commit)).toBe(`{"from":"w${Math.floor(at / EACH)}"}\n`)
    }
    expect(test.fsck()).toBe('')
  })

  it('kill -9 in the middle of writing loses nothing acknowledged and leaves no damage [notes-kill-9]', async () => {
    await using test = createTestRepository()
    const all = commits(test, 60)
    const acknowledged: string[] = []
    for (let round = 0; round < 4; round += 1) {
      const victim = startWriter(
        test.directory,
        `v${round}`,
        all.slice(round * 15, round * 15 + 15),
      )
      while (victim.acknowledged.length < 2 + round)
        await new Promise((done) => setTimeout(done, 1))
      victim.child.kill('SIGKILL')
      await victim.closed
      acknowledged.push(...victim.acknowledged)
    }
    await updateNotes(test.repository, put({ [all[59] ?? '']: 'after\n' }))
    expect(acknowledged.length).toBeGreaterThanOrEqual(2 + 3 + 4 + 5)
    for (const commit of acknowledged)
      expect(await readNote(test.repository, toCommitId(commit))).toContain('from')
    expect(await readNote(test.repository, toCommitId(all[59] ?? ''))).toBe('after\n')
    expect(test.fsck()).toBe('')
    expect(test.git('status', '--porcelain')).toBe('')
    expect(
      readdirSync(join(test.directory, '.git')).filter((name) => name.includes('crash')),
    ).toEqual([])
  })

  it('works in a repository with SHA-256 names', async () => {
    await using test = createTestRepository('--object-format=sha256')
    const [one = ''] = commits(test, 1)
    await updateNotes(test.repository, put({ [one]: 'a\n' }))
    expect(one).toHaveLength(64)
    expect(await readNote(test.repository, toCommitId(one))).toBe('a\n')
  })
})
