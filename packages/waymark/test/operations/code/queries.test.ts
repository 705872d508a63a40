import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { codeDependents } from '../../../src/annotation/read/deps.ts'
import { codeHistory } from '../../../src/annotation/read/history.ts'
import { summariseCode } from '../../../src/annotation/summary/summary.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTasks } from '../../../src/task/operations.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const deps = (test: CodeSetup, input: { path: string; anchor?: string; max_results?: number }) =>
  execute(test.context, codeDependents, input)
const history = (test: CodeSetup, input: { path: string; anchor?: string; limit?: number }) =>
  execute(test.context, codeHistory, input)
const summary = (test: CodeSetup, input: { path: string; anchor?: string; limit?: number }) =>
  execute(test.context, summariseCode, input)
const why = (
  test: CodeSetup,
  input: { path: string; anchor?: string; lines?: string; max_tokens?: number },
) => execute(test.context, whyCode, input)

const dependent = (file: string, anchor: string, nature: string) => ({
  file,
  anchor,
  intent: `what ${anchor} is for`,
  semantic_dependencies: [{ file: FILE, anchor: 'Client::connect', nature }],
})

describe('dependents', () => {
  it('are found from the other side, each once with its newest word, checked against today', async () => {
    await using test = await setupCode()
    const first = test.commit('one', {
      [FILE]: CLIENT,
      'a.ts': 'export function a() {}\n',
      'b.ts': 'export function b() {}\n',
    })
    await test.annotate({
      summary: 'What a and b count on',
      regions: [dependent('a.ts', 'a', 'never throws'), dependent('b.ts', 'b', 'is quick')],
    })
    const second = test.commit('two', { 'b.ts': '// b is gone\n' })
    test.tick(1_000)
    await test.annotate({
      summary: 'What a counts on now',
      regions: [dependent('a.ts', 'a', 'throws once')],
    })
    expect(await deps(test, { path: FILE, anchor: 'connect' })).toMatchObject({
      $schema: 'ultragit-deps/v1',
      query: { file: FILE, anchor: 'connect' },
      dependents: [
        {
          file: 'a.ts',
          anchor: 'a',
          nature: 'throws once',
          commit: second,
          state: 'fresh',
          context_level: 'enhanced',
        },
        { file: 'b.ts', anchor: 'b', nature: 'is quick', commit: first, state: 'orphaned' },
      ],
      stats: { commits_scanned: 2, dependencies_found: 3, scan_method: 'reverse_index' },
    })
    expect((await deps(test, { path: FILE })).dependents).toHaveLength(2)
    expect((await deps(test, { path: FILE, max_results: 1 })).dependents).toHaveLength(1)
    expect((await deps(test, { path: FILE, anchor: 'parse' })).dependents).toEqual([])
  })

  it('still depend on a file that got another name', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT, 'a.ts': 'export function a() {}\n' })
    await test.annotate({
      summary: 'What a counts on today',
      regions: [dependent('a.ts', 'a', 'never throws')],
    })
    test.git('mv', FILE, 'src/link.ts')
    test.commit('two')
    expect((await deps(test, { path: 'src/link.ts', anchor: 'connect' })).dependents).toHaveLength(
      1,
    )
  })
})

describe('history', () => {
  it('tells the reasons oldest first, and of many the newest', async () => {
    await using test = await setupCode()
    const commits: string[] = []
    for (const [at, text] of [
      CLIENT,
      CLIENT.replace('retries)', 'retries + 1)'),
      CLIENT.replace('retries)', '7)'),
    ].entries()) {
      commits.push(test.commit(`Step ${at}`, { [FILE]: text }))
      await test.annotate({
        summary: `Why step ${at} was taken`,
        regions: [
          { file: FILE, anchor: 'connect', intent: `reason ${at}`, constraints: [`rule ${at}`] },
        ],
      })
    }
    const read = await history(test, { path: FILE, anchor: 'Client.connect' })
    expect(read).toMatchObject({
      $schema: 'ultragit-history/v1',
      timeline: [
        {
          commit: commits[0],
          commit_message: 'Step 0',
          intent: 'reason 0',
          provenance: 'initial',
          constraints: [{ text: 'rule 0', source: 'author' }],
          state: 'drifted',
        },
        { commit: commits[1], intent: 'reason 1', state: 'drifted' },
        { commit: commits[2], intent: 'reason 2', state: 'fresh' },
      ],
      stats: { annotations_found: 3, related_followed: 0 },
    })
    expect(
      (await history(test, { path: FILE, limit: 2 })).timeline.map(({ intent }) => intent),
    ).toEqual(['reason 1', 'reason 2'])
  })
})

describe('summary', () => {
  it('of a file: the newest word on each unit, and what nobody has said anything about', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'The first word on this',
      regions: [{ file: FILE, anchor: 'connect', intent: 'old', constraints: ['c'] }],
    })
    test.commit('two', { 'x.txt': '' })
    await test.annotate({
      summary: 'The last word on this',
      regions: [
        { file: FILE, anchor: 'connect', intent: 'new', risk_notes: 'may hang' },
        { file: FILE, intent: 'the file as a whole' },
      ],
    })
    expect(await summary(test, { path: FILE })).toMatchObject({
      $schema: 'ultragit-summary/v1',
      query: { path: FILE },
      units: [
        { file: FILE, anchor: { type: 'file', name: FILE }, intent: 'the file as a whole' },
        {
          anchor: { type: 'method', name: 'Client.connect' },
          lines: { start: 6, end: 8 },
          intent: 'new',
          risk_notes: 'may hang',
          state: 'fresh',
        },
      ],
      stats: { files: 1, ast_units_in_file: 5, annotated_units: 1, unannotated_units: 4 },
    })
    expect((await summary(test, { path: FILE, anchor: 'connect' })).units).toHaveLength(1)
    expect((await summary(test, { path: FILE, limit: 1 })).notes).toEqual([
      '1 more units are not shown; ask for a smaller part.',
    ])
  })

  it('of a directory: every annotated file in it, under its present name', async () => {
    await using test = await setupCode()
    test.commit('one', {
      'lib/a.ts': 'export function a() {}\n',
      'lib/deep/b.ts': 'export function b() {}\n',
      'other/c.ts': 'export function c() {}\n',
      'libx.ts': 'export function x() {}\n',
    })
    await test.annotate({
      summary: 'A word on each of them',
      regions: ['lib/a.ts:a', 'lib/deep/b.ts:b', 'other/c.ts:c', 'libx.ts:x'].map((place) => {
        const [file = '', anchor = ''] = place.split(':')
        return { file, anchor, intent: `why ${anchor}` }
      }),
    })
    test.git('mv', 'other/c.ts', 'lib/c.ts')
    test.commit('two')
    const { units, stats } = await summary(test, { path: 'lib/' })
    expect(units.map(({ file, anchor }) => `${file}:${anchor.name}`)).toEqual([
      'lib/a.ts:a',
      'lib/c.ts:c',
      'lib/deep/b.ts:b',
    ])
    expect(stats).toMatchObject({ files: 3, annotated_units: 3 })
    expect((await summary(test, { path: '.' })).units).toHaveLength(4)
    await expect(summary(test, { path: 'nowhere' })).rejects.toMatchObject({
      message: 'File not found: nowhere',
    })
  })

  it('of a name that is not there is that of the file, and says so', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT, 'src/other.ts': 'export function other() {}\n' })
    await test.annotate({
      summary: 'A client that retries on its own',
      regions: [
        { file: FILE, anchor: 'connect', intent: 'Dial with bounded retries' },
        { file: 'src/other.ts', anchor: 'other', intent: 'Something else' },
      ],
    })
    const told = async (path: string, anchor: string) => {
      const { units, notes } = await summary(test, { path, anchor })
      return { units: units.map((unit) => unit.anchor.name), notes }
    }
    const gone = (path: string) => [
      `Anchor 'nowhere' not found in ${path}. Returning file-level annotations.`,
    ]
    expect(await told(FILE, 'connect')).toEqual({ units: ['Client.connect'] })
    expect(await told(FILE, 'nowhere')).toEqual({ units: ['Client.connect'], notes: gone(FILE) })
    expect(await told(FILE, 'parse')).toEqual({ units: [] })
    expect(await told(FILE, 'conect')).toEqual({
      units: ['Client.connect'],
      notes: ["No 'conect' in this file; took 'Client.connect' for it."],
    })
    expect(await told('src', 'other')).toEqual({ units: ['other'] })
    expect(await told('src', 'nowhere')).toEqual({
      units: ['Client.connect', 'other'],
      notes: gone('src'),
    })
  })

  it('of a directory without annotations is empty', async () => {
    await using test = await setupCode()
    test.commit('one', { 'lib/a.ts': '' })
    expect(await summary(test, { path: 'lib' })).toMatchObject({ units: [], stats: { files: 0 } })
  })
})

describe('why', () => {
  it('gives in one answer what one needs before an edit', async () => {
    await using test = await setupCode()
    const decision = await execute(test.context, createEntity, {
      type: 'decision',
      title: 'Retry in the client',
    })
    const commit = test.commit('Add a client', {
      [FILE]: CLIENT,
      'a.ts': 'export function a() {}\n',
    })
    await test.annotate({
      summary: 'A client that retries on its own',
      links: [String(decision.number)],
      regions: [
        {
          file: FILE,
          anchor: 'connect',
          intent: 'Dial with bounded retries',
          reasoning: 'The broker forgets.',
          constraints: ['at most ten tries', { text: 'idempotent', source: 'inferred' }],
          risk_notes: 'a storm of clients',
          semantic_dependencies: [
            { file: 'net.ts', anchor: 'dial', nature: 'rejects when refused' },
          ],
        },
        {
          file: FILE,
          anchor: 'connect',
          kind: 'dead_end',
          intent: 'waiting for the broker blocks everything',
        },
        { file: FILE, anchor: 'connect', kind: 'unfinished', intent: 'back off between tries' },
        dependent('a.ts', 'a', 'never throws'),
      ],
      cross_cutting: [{ description: 'logs as client', regions: [`${FILE}:connect`] }],
    })
    const { tasks } = await execute(test.context, createTasks, {
      tasks: [{ title: 'Rework the client', locks: ['src/**'] }],
    })
    await execute(test.as('someone'), claimTask, { id: tasks[0]?.id ?? '' })
    const answer = await why(test, { path: FILE, anchor: 'connect' })
    expect(answer).toMatchObject({
      $schema: 'waymark-why/v1',
      file: FILE,
      symbols: [{ name: 'Client.connect', lines: { start: 6, end: 8 } }],
      reserved_by: [{ task: { title: 'Rework the client' }, pattern: 'src/**' }],
      must_hold: [
        {
          text: 'at most ten tries',
          at: 'Client.connect',
          state: 'fresh',
          by: 'tester',
          commit: commit.slice(0, 12),
        },
        { text: '(inferred) idempotent' },
      ],
      reasons: [{ text: 'Dial with bounded retries', detail: 'The broker forgets.' }],
      learned: [{ text: 'dead end: waiting for the broker blocks everything' }],
      risks: [{ text: 'a storm of clients' }],
      unfinished: [{ text: 'back off between tries' }],
      relied_on_by: [{ file: 'a.ts', anchor: 'a', nature: 'never throws', state: 'fresh' }],
      relies_on: [{ file: 'net.ts', anchor: 'dial', nature: 'rejects when refused' }],
      together_with: [{ description: 'logs as client' }],
      belongs_to: [{ type: 'decision', number: decision.number, title: 'Retry in the client' }],
      last_commits: [
        {
          commit: commit.slice(0, 12),
          subject: 'Add a client',
          author: 'Test Author',
          date: '2026-01-01',
        },
      ],
    })
    expect(answer.notes).toBeUndefined()
  })

  it('keeps to its budget, gives up what matters least and says what', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    await test.annotate({
      summary: 'A client that retries on its own',
      regions: Array.from({ length: 30 }, (_, at) => ({
        file: FILE,
        anchor: 'connect',
        intent: `Reason number ${at} of very many reasons`,
        constraints: [`Rule number ${at} of very many rules`],
      })),
    })
    const answer = await why(test, { path: FILE, max_tokens: 700 })
    expect(answer.must_hold?.length).toBeGreaterThan(0)
    expect(answer.must_hold?.length).toBeLessThan(30)
    expect(answer.notes?.[0]).toMatch(/^Left out to keep it short: .*of reasons/)
    const text = JSON.stringify(answer)
    expect(text.length / 3).toBeLessThan(700)
  })

  it('tells which agent wrote the lines, where git-ai has recorded it', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { [FILE]: CLIENT })
    const note = `${FILE}\n  s_0123456789abcd::t_0123456789abcd 6-8\n  h_0123456789abcd 1-2\n---\n${JSON.stringify(
      {
        schema_version: 'authorship/3.0.0',
        sessions: {
          s_0123456789abcd: {
            agent_id: { tool: 'agent', id: 'x', model: 'model-4' },
            human_author: 'Ann <a@b>',
          },
        },
      },
    )}`
    test.git('notes', '--ref', 'ai', 'add', '-m', note, commit)
    test.commit('two', { [FILE]: `// top\n${CLIENT}` })
    expect((await why(test, { path: FILE, anchor: 'connect' })).written_by).toEqual([
      { agent: 'agent model-4', session: 's_0123456789abcd', for: 'Ann', lines: 3 },
    ])
    expect((await why(test, { path: FILE, anchor: 'parse' })).written_by).toBeUndefined()
  })

  it('says nothing where there is nothing to say', async () => {
    await using test = await setupCode()
    test.write({ 'new.ts': 'export const a = 1\n' })
    expect(await why(test, { path: 'new.ts' })).toEqual({
      $schema: 'waymark-why/v1',
      file: 'new.ts',
      notes: ['new.ts is not committed yet.'],
    })
  })
})
