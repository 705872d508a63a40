import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DiskCache } from '../../src/git/disk-cache.ts'
import { blame } from '../../src/git/history/blame.ts'
import { FileHistories } from '../../src/git/history/file-histories.ts'
import { CodeTexts } from '../../src/annotation/outline/code-texts.ts'
import { patchIdBetween, patchIds } from '../../src/annotation/rewrite/patch-ids.ts'
import { unquotePath } from '../../src/git/history/unquote-path.ts'
import { openRepository } from '../../src/git/repository.ts'
import { createTestRepository, type OwnedRepository } from './repository.ts'
import { toCommitId } from '../../src/git/history/commit-id.ts'

const lines = (...numbers: (number | string)[]) =>
  numbers.map((number) => `line ${number}\n`).join('')

/** `commit-number:original-line` of each line, to read a blame at a glance. */
async function authorsOf(test: OwnedRepository, path: string, commits: readonly string[]) {
  const head = test.git('rev-parse', 'HEAD').trim()
  const { blame: found } = await test.repository.histories.of(toCommitId(head), path)
  expect(found).toEqual(await blame(test.repository, toCommitId(head), path))
  return found.flatMap(({ commit, originalStart, count }) =>
    Array.from({ length: count }, (_, at) => `${commits.indexOf(commit)}:${originalStart + at}`),
  )
}

describe('the history of a file', () => {
  it('says who wrote each line and where it stood then', async () => {
    await using test = createTestRepository()
    const commits = [
      test.commit('one', { 'a.txt': lines(1, 2, 3) }),
      test.commit('two', { 'a.txt': lines('x', 1, 2, 3) }),
    ]
    expect(await authorsOf(test, 'a.txt', commits)).toEqual(['1:1', '0:1', '0:2', '0:3'])
  })

  it('follows a renamed file, and tells its older names', async () => {
    await using test = createTestRepository()
    const one = test.commit('one', { 'a b.txt': lines(1, 2, 3, 4, 5) })
    test.git('mv', 'a b.txt', 'ünï\t"q".txt')
    const two = test.commit('two')
    const head = two
    const { blame: found, changes } = await test.repository.histories.of(head, 'ünï\t"q".txt')
    expect(found).toEqual([{ commit: one, path: 'a b.txt', originalStart: 1, start: 1, count: 5 }])
    expect(changes).toEqual([
      { commit: two, path: 'ünï\t"q".txt' },
      { commit: one, path: 'a b.txt' },
    ])
  })

  it('a commit that only indents is nobody’s reason', async () => {
    await using test = createTestRepository()
    const commits = [
      test.commit('one', { 'a.txt': lines(1, 2) }),
      test.commit('two', { 'a.txt': lines(1, 2).replaceAll('line', '    line') }),
    ]
    expect(await authorsOf(test, 'a.txt', commits)).toEqual(['0:1', '0:2'])
  })

  it('grows with each commit as if it were made anew, through branches, merges and reverts', async () => {
    await using test = createTestRepository()
    const commits: string[] = []
    const commit = async (text: string) => {
      commits.push(test.commit(`commit ${commits.length}`, { 'a.txt': text }))
      await authorsOf(test, 'a.txt', commits)
    }
    await commit(lines(1, 2, 3, 4, 5, 6, 7, 8))
    await commit(lines(1, 'two', 3, 4, 5, 6, 7, 8))
    test.git('checkout', '--quiet', '-b', 'side', 'HEAD~1')
    await commit(lines(1, 2, 3, 4, 5, 6, 'seven', 8))
    test.git('checkout', '--quiet', 'main')
    await commit(lines(1, 'two', 3, 4, 'five', 6, 7, 8))
    test.git('merge', '--quiet', '--no-edit', 'side')
    await authorsOf(test, 'a.txt', commits)
    await commit(lines(0, 1, 'two', 3, 4, 'five', 6, 'seven', 8))
    // The same text as before, and yet other authors: the content must not be what the cache is keyed by.
    test.git('revert', '--no-edit', 'HEAD')
    await authorsOf(test, 'a.txt', commits)
    test.git('checkout', '--quiet', 'HEAD~2')
    await authorsOf(test, 'a.txt', commits)
    test.commit('unrelated', { 'b.txt': 'x\n' })
    await authorsOf(test, 'a.txt', commits)
  })

  it('is found on disk by the next process, which then asks git for less', async () => {
    await using test = createTestRepository()
    const head = test.commit('one', { 'a.txt': lines(1, 2, 3) })
    const first = await test.repository.histories.of(head, 'a.txt')
    await test.repository[Symbol.asyncDispose]()
    await using second = openRepository(test.directory, test.repository.stateDir)
    const asked: string[] = []
    const watched = {
      ...second,
      ask: (args: readonly string[]) => {
        asked.push(args[0] ?? '')
        return second.ask(args)
      },
    }
    const cache = new DiskCache(join(second.stateDir, 'cache'))
    const histories = new FileHistories(watched, second.objects, cache)
    expect(await histories.of(head, 'a.txt')).toEqual(first)
    expect(asked).toEqual(['rev-list'])
  })

  it('that begins at a merge which made the file goes on rightly from there', async () => {
    await using test = createTestRepository()
    const commits = [test.commit('base', { 'a.txt': lines(1, 2, 3) })]
    test.git('checkout', '--quiet', '-b', 'side')
    commits.push(test.commit('side', { 'a.txt': lines(1, 'left', 3) }))
    test.git('checkout', '--quiet', 'main')
    commits.push(test.commit('main', { 'a.txt': lines(1, 'right', 3) }))
    expect(() => test.git('merge', '--quiet', 'side')).toThrow('merge')
    commits.push(test.commit('both', { 'a.txt': lines(1, 'left and right', 3, 4) }))
    expect(await authorsOf(test, 'a.txt', commits)).toEqual(['0:1', '3:2', '0:3', '3:4'])
    commits.push(test.commit('later', { 'a.txt': lines(1, 'left and right', 3, 4, 5) }))
    await using repository = openRepository(test.directory, test.repository.stateDir)
    const later = { ...test, repository }
    expect(await authorsOf(later, 'a.txt', commits)).toEqual(['0:1', '3:2', '0:3', '3:4', '4:5'])
  })

  it('is worked out once for all who ask at the same time', async () => {
    await using test = createTestRepository()
    const head = test.commit('one', { 'a.txt': lines(1) })
    const asked: string[] = []
    const watched = {
      ...test.repository,
      ask: (args: readonly string[]) => {
        asked.push(args.find((arg) => ['blame', 'log'].includes(arg)) ?? '')
        return test.repository.ask(args)
      },
    }
    const cache = new DiskCache(join(test.repository.stateDir, 'cache'))
    const histories = new FileHistories(watched, test.repository.objects, cache)
    const [first, second] = await Promise.all([
      histories.of(head, 'a.txt'),
      histories.of(head, 'a.txt'),
    ])
    expect(second).toEqual(first)
    expect(asked.toSorted()).toEqual(['blame', 'log'])
  })

  it('of a file that was never committed costs no walk through the history', async () => {
    await using test = createTestRepository()
    const head = test.commit('one', { 'a.txt': lines(1) })
    let wasStopped = false
    const watched = {
      ...test.repository,
      ask: (args: readonly string[], options?: { signal?: AbortSignal }) => {
        if (!args.includes('log')) return test.repository.ask(args, options)
        return new Promise<never>((_, reject) => {
          options?.signal?.addEventListener('abort', () => {
            wasStopped = true
            reject(new Error('stopped'))
          })
        })
      },
    }
    await using cache = new DiskCache(join(test.repository.stateDir, 'cache'))
    const histories = new FileHistories(watched, test.repository.objects, cache)
    await expect(histories.of(head, 'new.txt')).rejects.toThrow('no such path')
    expect(wasStopped).toBe(true)
  })

  it('in a shallow clone nothing is kept that deepening would make wrong', async () => {
    await using test = createTestRepository()
    const one = test.commit('one', { 'a.txt': lines(1) })
    const two = test.commit('two', { 'a.txt': lines(1, 2) })
    const clone = test.clone('shallow')
    clone.git('fetch', '--quiet', '--depth=1', `file://${test.directory}`, 'main')
    clone.git('checkout', '--quiet', 'FETCH_HEAD')
    clone.git('fetch', '--quiet', '--unshallow', `file://${test.directory}`)
    const { blame: found } = await clone.repository.histories.of(two, 'a.txt')
    expect(found.map(({ commit }) => commit)).toEqual([one, two])
  })
})

describe('lines of two versions', () => {
  it('are matched across insertions, and what is gone is said to be gone', async () => {
    await using texts = new CodeTexts()
    const map = await texts.compare(lines(1, 2, 3, 4), lines('a', 1, 2, 'b', 4))
    expect(map.toNewer({ start: 1, end: 4 })).toEqual({ start: 2, end: 5, kept: 3 })
    expect(map.toNewer({ start: 3, end: 3 })).toBeUndefined()
    expect(map.toOlder({ start: 5, end: 5 })).toEqual({ start: 4, end: 4, kept: 1 })
  })
})

describe('lines of two versions with little in common', () => {
  it('are not compared for long, and what stands above and below is still known', async () => {
    const many = (name: string) => Array.from({ length: 1_500 }, (_, at) => `${name} ${at}`)
    const older = lines('top', ...many('a'), 'shared', 'end')
    await using texts = new CodeTexts()
    const newer = lines('top', ...many('b'), 'shared', ...many('c'), 'end')
    const map = await texts.compare(older, newer)
    expect(map.toNewer({ start: 1, end: 1 })).toEqual({ start: 1, end: 1, kept: 1 })
    expect(map.toNewer({ start: 1_503, end: 1_503 })).toEqual({ start: 3_003, end: 3_003, kept: 1 })
    expect(map.toNewer({ start: 2, end: 1_502 })).toBeUndefined()
  })
})

describe('what commits change', () => {
  it('is the same change elsewhere, also where the diff is larger than what is kept of other answers', async () => {
    await using test = createTestRepository()
    const base = test.commit('base', { 'a.txt': `${'x'.repeat(999)}\n`.repeat(1_000) })
    const blob = test.git('rev-parse', 'HEAD:a.txt').trim()
    const copies = Array.from({ length: 70 }, (_, at) => `100644 blob ${blob}\tcopy ${at}\n`)
    const tree = await test.repository.ask(['mktree'], { input: copies.join('') })
    const large = test.git('commit-tree', '-p', base, '-m', 'large', tree.trim()).trim()
    const small = test.commit('small', { 'b.txt': 'b\n' })
    const ids = await patchIds(test.repository, [toCommitId(large), small])
    expect([...ids.keys()].toSorted()).toEqual([large, small].toSorted())
    expect(await patchIdBetween(test.repository, base, toCommitId(large))).toBe(
      ids.get(toCommitId(large)),
    )
  })

  it('cannot be told of what is not there', async () => {
    await using test = createTestRepository()
    test.commit('base')
    await expect(
      patchIdBetween(test.repository, toCommitId('HEAD'), toCommitId('nowhere')),
    ).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
  })
})

describe('paths as git prints them', () => {
  it.each([
    ['plain.ts', 'plain.ts'],
    ['"tab\\tname.ts"', 'tab\tname.ts'],
    ['"q\\"uote\\\\.ts"', 'q"uote\\.ts'],
    ['"dir \\303\\251/x"', 'dir é/x'],
  ])('%s', (printed, path) => expect(unquotePath(printed)).toBe(path))
})
