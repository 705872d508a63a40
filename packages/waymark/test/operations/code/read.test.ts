import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../../src/support/text/token-estimate.ts'
import { trimToBudget } from '../../../src/annotation/read/trim.ts'
import { CLIENT, setupCode } from './code-setup.ts'

const CONNECT = {
  file: 'src/client.ts',
  anchor: 'Client.connect',
  intent: 'Dial with a bounded number of retries',
  reasoning: 'The broker drops the first packet after a restart. Waiting would block the caller.',
  constraints: ['never retries more than ten times'],
  tags: ['network'],
}

describe('annotating and reading', () => {
  it('what was said of a method is read back with the place where it is today', async () => {
    await using test = await setupCode()
    const commit = test.commit('Add a client', { 'src/client.ts': CLIENT })
    const written = await test.annotate({
      summary: 'Add a client that retries',
      regions: [CONNECT],
    })
    expect(written).toMatchObject({
      success: true,
      commit,
      regions_written: 1,
      anchor_resolutions: [
        { file: 'src/client.ts', requested_name: 'Client.connect', resolution: 'exact' },
      ],
    })
    const read = await test.read({ path: 'src/client.ts', anchor: 'connect' })
    expect(read).toMatchObject({
      $schema: 'ultragit-read/v1',
      query: { file: 'src/client.ts', anchor: 'connect', depth: 1 },
      regions: [
        {
          record: written.record,
          commit,
          author: 'tester',
          context_level: 'enhanced',
          confidence: 1,
          freshness: { state: 'fresh', commits_since: 0 },
          file: 'src/client.ts',
          kind: 'intent',
          ast_anchor: {
            type: 'method',
            name: 'Client.connect',
            signature: 'async connect(retries: number): Promise<void>',
          },
          lines: { start: 6, end: 8 },
          intent: 'Dial with a bounded number of retries',
          constraints: [{ text: 'never retries more than ten times', source: 'author' }],
          tags: ['network'],
        },
      ],
      stats: { commits_examined: 1, annotations_found: 1, regions_returned: 1, related_hops: 0 },
    })
    expect(read.notes).toBeUndefined()
    expect(read.trimmed).toBeUndefined()
  })

  it('a file without annotations is an empty answer, not an error', async () => {
    await using test = await setupCode()
    test.commit('one', { 'a.ts': 'export const a = 1\n' })
    expect(await test.read({ path: 'a.ts' })).toEqual({
      $schema: 'ultragit-read/v1',
      query: { file: 'a.ts', depth: 1 },
      regions: [],
      stats: { commits_examined: 1, annotations_found: 0, regions_returned: 0, related_hops: 0 },
    })
  })

  it('what was read can be written again: ast_anchor is understood as anchor is [read-written-again]', async () => {
    await using test = await setupCode()
    test.commit('one', { 'client.ts': CLIENT })
    const ast_anchor = { type: 'method', name: 'Client.connect', signature: 'connect()' }
    await test.annotate({
      summary: 'Dial',
      regions: [{ file: 'client.ts', ast_anchor, intent: 'dials at most so often' }],
    })
    const { regions } = await test.read({ path: 'client.ts', anchor: 'Client.connect' })
    expect(regions).toMatchObject([
      { ast_anchor: { name: 'Client.connect' }, lines: { start: 6, end: 8 } },
    ])
  })

  it('a file that is not there is told by name [read-file-told]', async () => {
    await using test = await setupCode()
    test.commit('one', { 'a.ts': '' })
    await expect(test.read({ path: 'b.ts' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'File not found: b.ts',
    })
    await expect(test.read({ path: 'b.ts:12-14' })).rejects.toMatchObject({
      message:
        'File not found: b.ts:12-14; the path is b.ts, and lines are a field of their own: 12:14',
    })
    await expect(test.read({ path: '' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(test.read({ path: '../b.ts' })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(test.read({ path: '.git/config' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('an absolute path, ./ and a repository without commits are understood', async () => {
    await using test = await setupCode()
    test.write({ 'a.ts': 'x\n' })
    expect(await test.read({ path: './a.ts' })).toMatchObject({
      notes: ['a.ts is not committed yet.'],
    })
    expect(await test.read({ path: `${test.directory}/a.ts` })).toMatchObject({
      query: { file: 'a.ts' },
    })
  })

  it('an anchor that is not there falls back to the file and says so', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT })
    await test.annotate({ summary: 'A client that retries', regions: [CONNECT] })
    const read = await test.read({ path: 'src/client.ts', anchor: 'reticulate' })
    expect(read.notes).toEqual([
      "Anchor 'reticulate' not found in src/client.ts. Returning file-level annotations.",
    ])
    expect(read.regions).toHaveLength(1)
  })

  it('a misspelt anchor is taken for the nearest, with a warning', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT })
    await test.annotate({ summary: 'A client that retries', regions: [CONNECT] })
    const read = await test.read({ path: 'src/client.ts', anchor: 'conect' })
    expect(read.notes).toEqual(["No 'conect' in this file; took 'Client.connect' for it."])
    expect(read.regions).toHaveLength(1)
  })

  it('a line range finds what overlaps it, and nothing else', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT })
    await test.annotate({
      summary: 'A client that retries',
      regions: [
        CONNECT,
        { file: 'src/client.ts', anchor: 'parse', intent: 'Numbers only, on purpose' },
      ],
    })
    const intents = async (lines: string) =>
      (await test.read({ path: 'src/client.ts', lines })).regions.map(({ intent }) => intent)
    expect(await intents('7:7')).toEqual([CONNECT.intent])
    expect(await intents('15:99')).toEqual(['Numbers only, on purpose'])
    expect(await intents('1:2')).toEqual([])
    await expect(test.read({ path: 'src/client.ts', lines: '9:3' })).rejects.toMatchObject({
      details: { field: 'lines' },
    })
    await expect(test.read({ path: 'src/client.ts', lines: '900:901' })).rejects.toMatchObject({
      details: { field: 'lines', max: 17 },
    })
  })

  it('two agents may annotate one commit; one may take back what it said', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT })
    await test.annotate({ summary: 'The first word on this', regions: [CONNECT] })
    const second = await test.annotate(
      {
        summary: 'A second opinion on this',
        regions: [{ ...CONNECT, intent: 'Retries hide a race' }],
      },
      test.as('other'),
    )
    expect(second.warnings).toContain('this commit had 1 annotation already; added beside it')
    await test.annotate({
      summary: 'The first word, corrected',
      regions: [{ ...CONNECT, intent: 'Dial at most ten times' }],
      replace: true,
    })
    const read = await test.read({ path: 'src/client.ts' })
    expect(read.regions.map(({ intent, author }) => `${author}: ${intent}`).toSorted()).toEqual([
      'other: Retries hide a race',
      'tester: Dial at most ten times',
    ])
  })

  it('a repeated call with the same key writes one annotation', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT })
    const again = test.as('tester', { idempotencyKey: 'once' })
    const input = { summary: 'A client that retries', regions: [CONNECT] }
    const first = await test.annotate(input, again)
    expect(await test.annotate(input, again)).toEqual(first)
    expect((await test.read({ path: 'src/client.ts' })).regions).toHaveLength(1)
  })

  it('the newest and surest come first; filters leave out the rest', async () => {
    await using test = await setupCode()
    const first = test.commit('one', { 'src/client.ts': CLIENT })
    test.commit('two', { 'src/client.ts': CLIENT.replace('Number(text)', 'Number(text.trim())') })
    await test.annotate({ commit: first, summary: 'The old reason for it', regions: [CONNECT] })
    await test.annotate({
      summary: 'The new reason for it',
      context_level: 'inferred',
      regions: [
        { file: 'src/client.ts', anchor: 'parse', intent: 'Blanks are common', tags: ['text'] },
      ],
    })
    const intents = async (filter: object) =>
      (await test.read({ path: 'src/client.ts', ...filter })).regions.map(({ intent }) => intent)
    expect(await intents({})).toEqual([CONNECT.intent, 'Blanks are common'])
    expect(await intents({ tag: ['text'] })).toEqual(['Blanks are common'])
    expect(await intents({ context_level: 'enhanced' })).toEqual([CONNECT.intent])
    expect(await intents({ min_confidence: 0.9 })).toEqual([CONNECT.intent])
    expect(await intents({ since: 'HEAD' })).toEqual(['Blanks are common'])
    expect(await intents({ since: '2030-01-01' })).toEqual([])
    expect(await intents({ max_regions: 1 })).toEqual([CONNECT.intent])
    await expect(test.read({ path: 'src/client.ts', since: 'whenever' })).rejects.toMatchObject({
      details: { field: 'since' },
    })
  })

  it('a budget is kept: the least sure goes first, and intent and constraints stay [read-budget-kept]', async () => {
    await using test = await setupCode()
    const first = test.commit('one', { 'src/client.ts': CLIENT })
    const second = test.commit('two', { 'b.ts': '' })
    for (const commit of [first, second]) {
      await test.annotate({
        commit,
        summary: 'A client that retries',
        regions: [
          {
            ...CONNECT,
            reasoning: `${commit === first ? 'Older' : 'Newer'} reasons. ${'More of them. '.repeat(200)}`,
          },
        ],
      })
    }
    const whole = await test.read({ path: 'src/client.ts' })
    expect(whole.regions).toHaveLength(2)
    const tight = await test.read({ path: 'src/client.ts', max_tokens: 400 })
    expect(tight.regions).toHaveLength(1)
    expect(tight.regions[0]).toMatchObject({
      commit: second,
      intent: CONNECT.intent,
      constraints: [{}],
    })
    expect(tight.trimmed).toMatchObject({
      original_regions: 2,
      returned_regions: 1,
      dropped_commits: [first],
      strategy: 'lowest_ranked_first',
    })
    expect(tight.trimmed?.estimated_tokens).toBeLessThanOrEqual(400)
    expect(estimateTokens(JSON.stringify(tight))).toBeLessThanOrEqual(400)
    expect(tight.stats.regions_returned).toBe(1)
  })

  it('a budget holds for those who depend on it too, and for what is said of the cuts', async () => {
    await using test = await setupCode()
    const commit = test.commit('one', { 'src/client.ts': CLIENT })
    await test.annotate({ summary: 'A client that retries', regions: [CONNECT] })
    await test.annotate({
      summary: 'Many count on it',
      regions: Array.from({ length: 150 }, (_, at) => ({
        file: `src/user-${at}.ts`,
        intent: 'calls it',
        semantic_dependencies: [{ file: 'src/client.ts', anchor: 'connect', nature: 'its order' }],
      })),
      cross_cutting: Array.from({ length: 50 }, (_, at) => ({
        description: `Rule ${at}`,
        regions: ['src/client.ts:Client.connect'],
      })),
    })
    const whole = await test.read({ path: 'src/client.ts' })
    expect(whole.dependencies_on_this).toHaveLength(150)
    for (const max_tokens of [400, 1_000, 4_000]) {
      const read = await test.read({ path: 'src/client.ts', max_tokens })
      expect(estimateTokens(JSON.stringify(read))).toBeLessThanOrEqual(max_tokens)
      expect(read.regions).toMatchObject([{ commit, intent: CONNECT.intent }])
      expect(read.notes?.at(-1)).toMatch(/^Left out to keep it short: .*of dependencies_on_this/)
    }
  })

  it('names of what was dropped count as well', () => {
    const regions = Array.from({ length: 100 }, (_, at) => ({
      commit: at.toString(16).padStart(40, 'a1'),
      intent: 'why it is so',
    }))
    const { regions: kept, trimmed } = trimToBudget(regions, 600, 50)
    expect(kept.length).toBeGreaterThan(1)
    expect(50 + estimateTokens(JSON.stringify({ kept, trimmed }))).toBeLessThanOrEqual(600)
    expect(trimmed?.dropped_commits[0]).toBe(regions[kept.length]?.commit)
  })

  it('related annotations are followed as far as asked, in circles only once', async () => {
    await using test = await setupCode()
    const [a, b, c] = ['a', 'b', 'c'].map((name) =>
      test.commit(name, { [`${name}.ts`]: `export function ${name}() {}\n` }),
    )
    const say = (name: string, commit = '', to?: [string, string]) =>
      test.annotate({
        commit,
        summary: `The reason for ${name} as it is`,
        regions: [
          {
            file: `${name}.ts`,
            anchor: name,
            intent: `why ${name}`,
            related_annotations: to && [
              {
                commit: to[1].slice(0, 10),
                anchor: `${to[0]}.ts:${to[0]}`,
                relationship: 'builds on',
              },
            ],
          },
        ],
      })
    await say('a', a, ['c', c ?? ''])
    await say('b', b, ['a', a ?? ''])
    await say('c', c, ['b', b ?? ''])
    const related = async (depth: number) =>
      (await test.read({ path: 'c.ts', depth })).regions[0]?.related?.map(({ intent }) => intent)
    expect(await related(0)).toBeUndefined()
    expect(await related(1)).toEqual(['why b'])
    expect(await related(2)).toEqual(['why b', 'why a'])
    expect(await related(5)).toEqual(['why b', 'why a', 'why c'])
    expect((await test.read({ path: 'c.ts', depth: 2 })).stats.related_hops).toBe(2)
  })

  it('who depends on it and what concerns it are told with it', async () => {
    await using test = await setupCode()
    test.commit('one', { 'src/client.ts': CLIENT, 'app.ts': 'export function start() {}\n' })
    const { commit } = await test.annotate({
      summary: 'The application relies on the client',
      regions: [
        {
          file: 'app.ts',
          anchor: 'start',
          intent: 'Starts without waiting',
          semantic_dependencies: [
            { file: 'src/client.ts', anchor: 'connect', nature: 'connect never throws' },
          ],
        },
      ],
      cross_cutting: [
        {
          description: 'Both log under one name',
          regions: ['src/client.ts:Client.connect', { file: 'app.ts' }],
        },
      ],
    })
    const read = await test.read({ path: 'src/client.ts', anchor: 'Client.connect' })
    expect(read.regions).toEqual([])
    expect(read.dependencies_on_this).toMatchObject([
      {
        from_file: 'app.ts',
        from_anchor: 'start',
        nature: 'connect never throws',
        commit,
        confidence: 1,
      },
    ])
    expect(read.cross_cutting).toEqual([
      {
        description: 'Both log under one name',
        regions: ['src/client.ts:Client.connect', 'app.ts'],
        commit,
      },
    ])
    expect(await test.read({ path: 'src/client.ts', anchor: 'parse' })).not.toHaveProperty(
      'dependencies_on_this',
    )
  })

  it('files that the settings leave out are not told [read-files-settings]', async () => {
    await using test = await setupCode()
    test.commit('one', { 'gen/a.ts': 'export function a() {}\n' })
    await test.annotate({
      summary: 'Generated by a script',
      regions: [{ path: 'gen/a.ts', intent: 'generated' }],
    })
    test.git('config', 'ultragit.exclude', 'gen/**')
    expect(await test.read({ path: 'gen/a.ts' })).toMatchObject({
      regions: [],
      notes: ['gen/a.ts is left out by ultragit.include or ultragit.exclude.'],
    })
  })
})
