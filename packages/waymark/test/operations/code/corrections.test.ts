import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { annotateCode } from '../../../src/annotation/write/annotate.ts'
import { correctCode } from '../../../src/annotation/write/correct.ts'
import { runHook } from '../../../src/hook/run-hook.ts'
import {
  addStagedNote,
  clearContext,
  setContext,
  showContext,
} from '../../../src/annotation/write/pending.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { lose } from '../../git/repository.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const correct = (test: CodeSetup, input: Record<string, unknown>) =>
  execute(test.as('critic'), correctCode, input)

async function annotated(): Promise<CodeSetup & { record: string }> {
  const test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  const { record } = await test.annotate({
    summary: 'A client that retries on its own',
    regions: [
      {
        file: FILE,
        anchor: 'connect',
        intent: 'Dial',
        constraints: ['at most ten', 'in order'],
        tags: ['net'],
      },
      { file: FILE, anchor: 'parse', intent: 'Parse' },
    ],
  })
  return { ...test, record }
}

describe('a call that is repeated with its key', () => {
  it('corrects once, also when it broke off before it was answered', async () => {
    await using test = await annotated()
    const critic = test.as('critic', { idempotencyKey: 'once' })
    const input = { path: FILE, anchor: 'connect', reason: 'the broker was replaced' }
    const done = await execute(critic, correctCode, input)
    test.tick(1000)
    expect(await execute(critic, correctCode, input)).toEqual(done)
    await critic.store.write((tx) => tx.answers.forgetBefore(critic.now() + 1))
    await execute(critic, correctCode, input)
    const [region] = (await test.read({ path: FILE, anchor: 'connect' })).regions
    expect(region?.corrections).toHaveLength(1)
  })

  it('annotates once, also with what was said before the commit', async () => {
    await using test = await setupCode()
    const agent = test.as('tester', { idempotencyKey: 'once' })
    test.commit('one', { [FILE]: CLIENT })
    await execute(test.context, setContext, { summary: 'A client that retries on its own' })
    const done = await execute(agent, annotateCode, {})
    expect(await execute(agent, annotateCode, {})).toEqual(done)
  })
})

describe('corrections', () => {
  it('stand in all notes of an annotation or in none: one that cannot be made is not there twice when it is made again', async () => {
    await using test = await annotated()
    const before = test.git('rev-parse', 'HEAD').trim()
    test.git('commit', '--quiet', '--amend', '-m', 'one, said better')
    const after = test.git('rev-parse', 'HEAD').trim()
    const content = `${before} ${after}\n`
    await execute(test.context, runHook, { event: 'post-rewrite', kind: 'amend', content })
    const input = { record: test.record, anchor: 'connect', reason: 'the broker was replaced' }
    for (const commit of [before, after]) {
      const putBack = lose(test, `refs/notes/waymark:${commit}`)
      // The git that is running still has the file open.
      await (await test.context.code?.repository())?.objects[Symbol.asyncDispose]()
      await expect(correct(test, input)).rejects.toMatchObject({
        code: 'storage_corrupt',
        details: { reason: 'note_unreadable', commit },
      })
      putBack()
    }
    await correct(test, input)
    for (const commit of [before, after]) {
      const note = test.git('notes', '--ref=waymark', 'show', commit)
      expect(note.match(/"correction_text"/g)).toHaveLength(1)
    }
  })

  it('a flag makes a region doubtful and is told with it; the original stays', async () => {
    await using test = await annotated()
    const done = await correct(test, {
      path: FILE,
      anchor: 'connect',
      reason: 'the broker was replaced',
    })
    expect(done).toMatchObject({
      record: test.record,
      file: FILE,
      anchor: 'Client.connect',
      correction: {
        correction_type: 'flag',
        correction_text: 'the broker was replaced',
        author: 'critic',
      },
    })
    const [region] = (await test.read({ path: FILE, anchor: 'connect' })).regions
    expect(region).toMatchObject({
      intent: 'Dial',
      confidence: 0.85,
      corrections: [{ correction_type: 'flag', author: 'critic' }],
    })
    expect(
      (await test.read({ path: FILE, anchor: 'parse' })).regions[0]?.corrections,
    ).toBeUndefined()
  })

  it('confidence falls with each flag, but not below the floor', async () => {
    await using test = await annotated()
    for (let at = 0; at < 8; at += 1)
      await correct(test, { record: test.record, anchor: 'connect', reason: `doubt ${at}` })
    expect((await test.read({ path: FILE, anchor: 'connect' })).regions[0]).toMatchObject({
      confidence: 0.1,
    })
  })

  it('what is amended says what is right, and casts no doubt', async () => {
    await using test = await annotated()
    await correct(test, {
      path: FILE,
      anchor: 'connect',
      type: 'amend',
      field: 'constraints',
      value: 'at most ten',
      replacement: 'at most five',
      reason: 'agreed with the broker team',
    })
    expect((await test.read({ path: FILE, anchor: 'connect' })).regions[0]).toMatchObject({
      confidence: 1,
      constraints: [{ text: 'at most ten' }, { text: 'in order' }],
      corrections: [
        { field: 'constraints', target_value: 'at most ten', replacement: 'at most five' },
      ],
    })
  })

  it('a removed constraint no longer has to hold; a removed region is no longer told', async () => {
    await using test = await annotated()
    await correct(test, {
      path: FILE,
      anchor: 'connect',
      type: 'remove',
      field: 'constraints',
      value: 'in order',
      reason: 'no more',
    })
    const { must_hold } = await execute(test.context, whyCode, { path: FILE, anchor: 'connect' })
    expect(must_hold?.map(({ text }) => text)).toEqual(['at most ten'])
    await correct(test, { path: FILE, anchor: 'parse', type: 'remove', reason: 'nonsense' })
    expect((await test.read({ path: FILE })).regions.map(({ intent }) => intent)).toEqual(['Dial'])
  })

  it('what is corrected in a record is corrected in every copy, wherever the code stands there', async () => {
    await using test = await annotated()
    const before = test.git('rev-parse', 'HEAD').trim()
    test.write({ [FILE]: `// On top\n${CLIENT}` })
    test.git('commit', '--quiet', '--all', '--amend', '-m', 'one, again')
    const content = `${before} ${test.git('rev-parse', 'HEAD').trim()}\n`
    await execute(test.context, runHook, { event: 'post-rewrite', kind: 'amend', content })
    await correct(test, {
      record: test.record,
      anchor: 'connect',
      type: 'remove',
      field: 'constraints',
      value: 'at most ten',
      reason: 'no longer so',
    })
    const told = JSON.stringify(await execute(test.context, whyCode, { path: FILE }))
    expect(told).toContain('in order')
    expect(told).not.toContain('at most ten')
  })

  it('says what there is when something is named that is not', async () => {
    await using test = await annotated()
    await expect(correct(test, { record: test.record, reason: 'x' })).rejects.toMatchObject({
      code: 'not_found',
      details: { available: [`${FILE}:Client.connect`, `${FILE}:parse`] },
    })
    await expect(
      correct(test, {
        path: FILE,
        anchor: 'connect',
        type: 'remove',
        field: 'constraints',
        value: 'no such',
        reason: 'x',
      }),
    ).rejects.toMatchObject({ details: { field: 'value', valid: ['at most ten', 'in order'] } })
    await expect(
      correct(test, { path: FILE, anchor: 'connect', type: 'amend', reason: 'x' }),
    ).rejects.toMatchObject({
      details: { field: 'field' },
    })
    await expect(correct(test, { path: FILE, anchor: 'close', reason: 'x' })).rejects.toMatchObject(
      { code: 'not_found' },
    )
    await expect(correct(test, { reason: 'x' })).rejects.toMatchObject({
      details: { field: 'path' },
    })
  })

  it('keeps everything else in the note, also what other tools wrote there', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: CLIENT })
    const foreign = {
      $schema: 'ultragit/v1',
      timestamp: '2026-01-01T00:00:00Z',
      summary: 'Somebody else wrote this',
      regions: [
        {
          file: FILE,
          ast_anchor: { unit_type: 'method', name: 'Client::connect' },
          intent: 'Dial',
          'x-mood': 'fine',
        },
      ],
      'x-tool': { deep: [1] },
    }
    test.git(
      'notes',
      '--ref',
      'ultragit',
      'add',
      '-m',
      `${JSON.stringify(foreign, null, 2)}\nand a remark`,
      commit,
    )
    await correct(test, { path: FILE, anchor: 'connect', reason: 'no longer so' })
    const note = test.git('notes', '--ref', 'ultragit', 'show', commit)
    expect(note).toContain('"x-mood":"fine"')
    expect(note).toContain('"x-tool":{"deep":[1]}')
    expect(note).toContain('and a remark')
    expect((await test.read({ path: FILE })).regions[0]?.corrections).toHaveLength(1)
  })
})

describe('what is said before a commit', () => {
  it('becomes part of the annotation of the next one, and is then forgotten', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': '' })
    await execute(test.context, setContext, {
      task: 'T-1',
      reasoning: 'because of the broker',
      tags: ['net'],
    })
    await execute(test.context, addStagedNote, { text: 'tried waiting, it blocks' })
    await execute(test.context, setContext, { reasoning: 'because the broker forgets' })
    expect(await execute(test.context, showContext, {})).toMatchObject({
      task: 'T-1',
      reasoning: 'because the broker forgets',
      tags: ['net'],
      notes: [{ text: 'tried waiting, it blocks', author: 'tester' }],
    })
    test.commit('Add a client that retries', { [FILE]: CLIENT })
    await execute(test.context, annotateCode, { auto: true })
    expect((await test.read({ path: FILE })).regions[0]).toMatchObject({
      intent: 'Add a client that retries',
      reasoning: 'because the broker forgets',
      context_level: 'enhanced',
      task: 'T-1',
      tags: ['net'],
    })
    expect(test.git('notes', '--ref', 'waymark', 'show')).toContain('tried waiting, it blocks')
    expect(await execute(test.context, showContext, {})).toEqual({
      dependencies: [],
      tags: [],
      notes: [],
    })
  })

  it('without it, the commit message alone is only inferred', async () => {
    await using test = await setupCode()
    const commit = test.commit('Add a client that retries\n\nThe broker forgets.', {
      [FILE]: CLIENT,
    })
    expect(await execute(test.context, annotateCode, { auto: true })).toMatchObject({
      commit,
      regions_written: 0,
    })
    const note = JSON.parse(test.git('notes', '--ref', 'waymark', 'show')) as Record<
      string,
      unknown
    >
    expect(note).toMatchObject({
      $schema: 'ultragit/v1',
      summary: 'Add a client that retries\n\nThe broker forgets.',
      context_level: 'inferred',
      regions: [],
      provenance: { operation: 'initial', derived_from: [], original_annotations_preserved: true },
    })
  })

  it('can be taken back, and each working tree has its own', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': '' })
    await execute(test.context, addStagedNote, { text: 'one' })
    const tree = `${test.directory}-tree`
    test.git('worktree', 'add', '--quiet', '-b', 'side', tree)
    const { openProject } = await import('../../../src/core/project/project.ts')
    await using other = await openProject(tree)
    const there = test.as('tester', { store: other.store, code: other.code })
    expect(await execute(there, showContext, {})).toMatchObject({ notes: [] })
    expect(await execute(test.context, clearContext, {})).toEqual({ cleared: 1 })
    test.git('worktree', 'remove', '--force', tree)
  })

  it('nothing to say is an error, and so is an annotation without a summary', async () => {
    await using test = await setupCode()
    test.commit('base', { 'x.txt': '' })
    await expect(execute(test.context, setContext, {})).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await expect(execute(test.context, annotateCode, {})).rejects.toMatchObject({
      details: { field: 'summary' },
    })
    await expect(
      execute(test.context, annotateCode, { commit: '--output=x', summary: 'x' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('anchors of what is written', () => {
  it('are those of the code, whatever was typed', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT, 'a.toml': 'x = 1\n' })
    const written = await test.annotate({
      summary: 'All kinds of ways to name code',
      regions: [
        {
          path: FILE,
          anchor: { unit_type: 'fn', name: 'connect' },
          lines: { start: 1, end: 2 },
          intent: 'qualified',
        },
        { file: FILE, anchor: 'reticulate', lines: '3:4', intent: 'unresolved' },
        { file: 'a.toml', lines: '1:9', intent: 'lines only' },
        { file: 'gone.ts', intent: 'no such file' },
      ],
    })
    expect(written.anchor_resolutions).toEqual([
      {
        file: FILE,
        requested_name: 'connect',
        resolution: 'qualified',
        resolved_name: 'Client.connect',
      },
      { file: FILE, requested_name: 'reticulate', resolution: 'unresolved' },
    ])
    expect(written.warnings).toEqual(
      expect.arrayContaining([
        `no reticulate in ${FILE}; kept as it was given`,
        expect.stringMatching(/^gone\.ts is not in commit/),
      ]),
    )
    const note = JSON.parse(test.git('notes', '--ref', 'waymark', 'show')) as {
      regions: Record<string, unknown>[]
    }
    expect(note.regions[0]).toMatchObject({
      ast_anchor: { type: 'method', name: 'Client.connect' },
      lines: { start: 6, end: 8 },
      content_hash: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
      signature_hash: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
    })
    expect(note.regions[2]).toMatchObject({ lines: { start: 1, end: 1 } })
  })

  it('a file is required, and a range must not end before it starts', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await expect(test.annotate({ summary: 'x', regions: [{ intent: 'x' }] })).rejects.toMatchObject(
      {
        details: { field: 'regions.0.file' },
      },
    )
    await expect(
      test.annotate({
        summary: 'x',
        regions: [{ file: FILE, lines: { start: 3, end: 2 }, intent: 'x' }],
      }),
    ).rejects.toMatchObject({ details: { field: 'regions.0.lines' } })
    await expect(
      test.annotate({ summary: 'x', regions: [{ file: '../x', intent: 'x' }] }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
