import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { updateNotes } from '../../../src/annotation/notes/write-notes.ts'
import { correctCode } from '../../../src/annotation/write/correct.ts'
import { exportAnnotations, mergeAnnotations } from '../../../src/annotation/write/exchange.ts'
import { runHook } from '../../../src/hook/run-hook.ts'
import { searchByText } from '../../../src/search/operations.ts'
import { lose } from '../../git/repository.ts'
import { CLIENT, setupCode } from './code-setup.ts'
import { toCommitId } from '../../../src/git/history/commit-id.ts'

const FILE = 'src/client.ts'
const THEIRS = 'refs/notes/remotes/origin/waymark'
const merge = (test: Awaited<ReturnType<typeof setupCode>>) =>
  execute(test.context, mergeAnnotations, {})

describe('notes of several clones', () => {
  it('are joined record by record; corrections made on both sides are both kept [clones-joined-record]', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'Said before they parted',
      regions: [{ file: FILE, anchor: 'connect', intent: 'shared' }],
    })
    test.git('update-ref', THEIRS, 'refs/notes/waymark')
    await execute(test.as('ann'), correctCode, { path: FILE, reason: 'ours' })
    // The other clone, as far as its notes are concerned: the same start, other words.
    test.git('update-ref', 'refs/notes/ours', 'refs/notes/waymark')
    test.git('update-ref', 'refs/notes/waymark', THEIRS)
    await execute(test.as('bob'), correctCode, { path: FILE, reason: 'theirs' })
    await test.annotate({
      summary: 'Said there alone',
      regions: [{ file: FILE, anchor: 'parse', intent: 'theirs' }],
    })
    test.git('update-ref', THEIRS, 'refs/notes/waymark')
    test.git('update-ref', 'refs/notes/waymark', 'refs/notes/ours')
    expect(await merge(test)).toEqual({ merged: [{ ref: THEIRS, changed: 1 }] })
    const { regions } = await test.read({ path: FILE })
    expect(regions.map(({ intent }) => intent).toSorted()).toEqual(['shared', 'theirs'])
    const shared = regions.find(({ intent }) => intent === 'shared')
    expect(shared?.corrections?.map(({ author }) => author).toSorted()).toEqual(['ann', 'bob'])
    expect(await merge(test)).toEqual({ merged: [{ ref: THEIRS, changed: 0 }] })
    expect(test.fsck()).toBe('')
  })

  it('the first notes here are simply theirs', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'Said elsewhere, fetched here',
      regions: [{ file: FILE, intent: 'x' }],
    })
    test.git('update-ref', THEIRS, 'refs/notes/waymark')
    test.git('update-ref', '-d', 'refs/notes/waymark')
    await merge(test)
    expect((await test.read({ path: FILE })).regions).toHaveLength(1)
    expect(test.git('rev-parse', 'refs/notes/waymark')).toBe(test.git('rev-parse', THEIRS))
  })
})

describe('notes that another dialect has fetched', () => {
  it('are joined with those of the same name here', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({ summary: 'Said elsewhere', regions: [{ file: FILE, intent: 'x' }] })
    const theirs = 'refs/notes/remotes/origin/ultragit'
    test.git('update-ref', theirs, 'refs/notes/waymark')
    test.git('update-ref', '-d', 'refs/notes/waymark')
    expect(await merge(test)).toEqual({ merged: [{ ref: theirs, changed: 1 }] })
    expect(test.git('rev-parse', 'refs/notes/ultragit')).toBe(test.git('rev-parse', theirs))
    expect((await test.read({ path: FILE })).regions).toHaveLength(1)
  })
})

describe('the index of annotations', () => {
  it('follows whatever becomes of the notes ref: new notes, removed ones, another history [clones-follows-whatever]', async () => {
    await using test = await setupCode()
    const one = test.commit('one', { [FILE]: CLIENT })
    const intents = async () =>
      (await test.read({ path: FILE })).regions.map(({ intent }) => intent).toSorted()
    await test.annotate({
      summary: 'The first thing said',
      regions: [{ file: FILE, intent: 'first' }],
    })
    const before = test.git('rev-parse', 'refs/notes/waymark').trim()
    await test.annotate({
      summary: 'The second thing said',
      regions: [{ file: FILE, intent: 'second' }],
    })
    expect(await intents()).toEqual(['first', 'second'])
    test.git('update-ref', 'refs/notes/waymark', before)
    expect(await intents()).toEqual(['first'])
    test.git('notes', '--ref', 'waymark', 'remove', one)
    expect(await intents()).toEqual([])
    test.git('update-ref', '-d', 'refs/notes/waymark')
    expect(await intents()).toEqual([])
  })

  it('is made in steps from very many notes, and lists only what is there', async () => {
    await using test = await setupCode()
    test.commit('base', { [FILE]: CLIENT })
    const record = (at: number) => ({
      $schema: 'ultragit/v1',
      timestamp: '2026-01-01T00:00:00Z',
      id: `record-${at}`,
      summary: `Note number ${at}`,
      regions: [{ file: FILE, intent: `intent ${at}` }],
    })
    const edits = new Map(
      Array.from({ length: 650 }, (_, at) => {
        return [
          toCommitId(at.toString(16).padStart(40, '0')),
          () => `${JSON.stringify(record(at))}\n`,
        ] as const
      }),
    )
    await updateNotes(test.repository, {
      ref: 'refs/notes/waymark',
      edits,
      author: 'x',
      message: 'x',
      at: 0,
    })
    await test.read({ path: FILE })
    expect(await test.context.store.annotations.counts(['refs/notes/waymark'])).toEqual({
      commits: 650,
      records: 650,
      unreadable: 0,
    })
  })

  it.each(['follows what changed', 'is made anew'])(
    'a note whose blob is not here is told as unreadable, and read once it is back: a copy that %s',
    async (way) => {
      await using test = await setupCode()
      test.commit('zero')
      await test.annotate({ summary: 'Said of the first commit' })
      const commit = test.commit('one', { [FILE]: CLIENT })
      if (way === 'is made anew') test.git('update-ref', '-d', 'refs/notes/waymark')
      await test.read({ path: FILE })
      const note = {
        $schema: 'ultragit/v1',
        id: 'r1',
        summary: 's',
        regions: [{ file: FILE, intent: 'lost' }],
      }
      test.git('notes', '--ref=waymark', 'add', '-m', JSON.stringify(note), commit)
      const putBack = lose(test, `refs/notes/waymark:${commit}`)
      const counts = () => test.context.store.annotations.counts(['refs/notes/waymark'])
      expect((await test.read({ path: FILE })).regions).toEqual([])
      expect(await counts()).toMatchObject({ unreadable: 1 })
      const unreadable = { code: 'storage_corrupt', details: { reason: 'note_unreadable', commit } }
      await expect(execute(test.context, exportAnnotations, {})).rejects.toMatchObject(unreadable)
      const content = `${commit} ${test.commit('two')}\n`
      const carry = execute(test.context, runHook, { event: 'post-rewrite', content })
      await expect(carry).rejects.toMatchObject(unreadable)
      putBack()
      await expect
        .poll(async () => (await test.read({ path: FILE })).regions, { timeout: 30_000 })
        .toMatchObject([{ commit, intent: 'lost' }])
      expect(await counts()).toMatchObject({ unreadable: 0 })
      expect(await test.context.store.annotations.missingOf('refs/notes/waymark')).toEqual(
        new Map(),
      )
    },
  )

  it('makes annotations findable by their words, beside everything else', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    const { record } = await test.annotate({
      summary: 'A client that retries on its own',
      regions: [{ file: FILE, anchor: 'connect', intent: 'The broker forgets subscriptions' }],
    })
    const found = await execute(test.context, searchByText, { query: 'broker subscriptions' })
    expect(JSON.stringify(found)).toContain(record)
  })

  it('two processes that read for the first time at once do not get in each other’s way', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'The only thing said',
      regions: [{ file: FILE, intent: 'only' }],
    })
    const { openProject } = await import('../../../src/core/project/project.ts')
    await using other = await openProject(test.directory)
    const there = test.as('other', { store: other.store, code: other.code })
    const answers = await Promise.all(
      [test.context, there, test.context, there].map((as) => test.read({ path: FILE }, as)),
    )
    for (const { regions } of answers) expect(regions).toHaveLength(1)
  })
})
