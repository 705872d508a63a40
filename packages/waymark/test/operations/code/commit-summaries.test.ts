import { expect, it } from 'vitest'
import type * as z from 'zod'
import { codeHistory } from '../../../src/annotation/read/history.ts'
import { showCode } from '../../../src/annotation/read/margin.ts'
import { readCode } from '../../../src/annotation/read/read.ts'
import { summariseCode } from '../../../src/annotation/summary/summary.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Operation } from '../../../src/core/operation.ts'
import type { Block } from '../../../src/core/show.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const OTHER = 'src/other.ts'
const SUMMARY = 'One connection only, since the server closes the older of two'

/** The text of an answer, as it is printed. */
function textOf(blocks: readonly Block[]): string {
  return JSON.stringify(blocks)
}

interface Query {
  readonly name: string
  readonly ask: (
    test: CodeSetup,
    path: string,
  ) => Promise<{ summaries: readonly { commit: string }[]; text: string }>
}

function query<Input extends z.ZodObject, View extends z.ZodType<Summarised>>(
  operation: Operation<Input, View>,
): Query {
  return {
    name: operation.name,
    ask: async (test, path) => {
      const answer = await execute(test.context, operation, { path })
      return { summaries: answer.summaries ?? [], text: textOf(operation.show(answer)) }
    },
  }
}

interface Summarised {
  readonly summaries?: readonly { commit: string }[] | undefined
}

const QUERIES = [
  query(whyCode),
  query(readCode),
  query(codeHistory),
  query(summariseCode),
  query(showCode),
]

it.each(QUERIES)(
  '$name shows a summary without regions for every file of its commit',
  async ({ ask }) => {
    await using test = await setupCode()
    test.commit('Unrelated', { 'README.md': 'Read me\n' })
    const commit = test.commit('Add a client', { [FILE]: CLIENT, [OTHER]: 'export const a = 1\n' })
    await test.annotate({ summary: SUMMARY })
    for (const path of [FILE, OTHER]) {
      const { summaries, text } = await ask(test, path)
      expect(summaries).toMatchObject([{ text: SUMMARY, by: 'tester', state: 'fresh' }])
      expect(commit.startsWith(summaries[0]?.commit ?? 'none')).toBe(true)
      expect(text).toContain(SUMMARY)
      expect(text).not.toMatch(/nothing is (annotated|known)/)
    }
    expect((await ask(test, 'README.md')).summaries).toEqual([])
  },
)

it('a summary is shown beside the regions of its commit, and in the files that have none', async () => {
  await using test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT, [OTHER]: 'export const a = 1\n' })
  const region = { file: FILE, anchor: 'Client.connect', intent: 'Dial once' }
  await test.annotate({ summary: SUMMARY, regions: [region] })
  for (const { ask } of QUERIES) {
    for (const path of [FILE, OTHER]) {
      const { summaries, text } = await ask(test, path)
      expect(summaries).toMatchObject([{ text: SUMMARY }])
      expect(text).toContain(SUMMARY)
    }
  }
  const parse = await execute(test.context, whyCode, { path: FILE, anchor: 'parse' })
  expect(parse.summaries).toBeUndefined()
})

it('a summary that equals the only intent of its commit is not repeated', async () => {
  await using test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT })
  await test.annotate({ summary: SUMMARY, regions: [{ file: FILE, intent: SUMMARY }] })
  expect((await execute(test.context, whyCode, { path: FILE })).summaries).toBeUndefined()
})

it('a summary belongs to the lines that its commit wrote', async () => {
  await using test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT })
  const longer = CLIENT.replace('Number(text)', 'Number(text.trim())')
  test.commit('Trim', { [FILE]: longer })
  await test.annotate({ summary: 'Users paste numbers with blanks around them' })
  const why = (anchor: string) => execute(test.context, whyCode, { path: FILE, anchor })
  expect((await why('parse')).summaries).toHaveLength(1)
  expect((await why('Client.connect')).summaries).toBeUndefined()
})

it('a summary says whether its file has changed since, and stays with a renamed file', async () => {
  await using test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT })
  await test.annotate({ summary: SUMMARY })
  test.git('mv', FILE, 'src/renamed.ts')
  test.commit('Rename')
  const { summaries } = await execute(test.context, whyCode, { path: 'src/renamed.ts' })
  expect(summaries).toMatchObject([{ text: SUMMARY, state: 'moved' }])
  test.write({ 'src/renamed.ts': `${CLIENT}// more\n` })
  const { summaries: later } = await execute(test.context, readCode, { path: 'src/renamed.ts' })
  expect(later).toMatchObject([{ text: SUMMARY, state: 'drifted' }])
  test.commit('Remove a line', { 'src/renamed.ts': CLIENT.replace('  close(): void {\n', '') })
  const { summaries: shorter } = await execute(test.context, whyCode, { path: 'src/renamed.ts' })
  expect(shorter).toMatchObject([{ text: SUMMARY, state: 'drifted' }])
})

it('code.why names the decisions that a summary is linked to, and stays within its budget', async () => {
  await using test = await setupCode()
  await execute(test.context, createEntity, { type: 'decision', title: 'One connection' })
  test.commit('Add a client', { [FILE]: CLIENT })
  await test.annotate({ summary: `${SUMMARY}. ${'Very long. '.repeat(1000)}`, links: ['1'] })
  const known = await execute(test.context, whyCode, { path: FILE })
  expect(known.belongs_to).toMatchObject([{ number: 1, title: 'One connection' }])
  expect(known.summaries?.[0]?.text.startsWith(SUMMARY)).toBe(true)
  expect(JSON.stringify(known).length).toBeLessThan(6_000)
})

it('code.summary of a folder lists each summary once, with the files of its commit', async () => {
  await using test = await setupCode()
  test.commit('Add files', { [FILE]: CLIENT, [OTHER]: 'export const a = 1\n', 'lib/b.ts': '\n' })
  await test.annotate({ summary: SUMMARY })
  const summary = (path: string) => execute(test.context, summariseCode, { path })
  expect(await summary('src')).toMatchObject({
    units: [],
    summaries: [{ text: SUMMARY, files: [FILE, OTHER] }],
  })
  expect((await summary('lib')).summaries).toMatchObject([{ files: ['lib/b.ts'] }])
  expect((await summary('.')).summaries?.[0]?.files).toHaveLength(3)
})

it('an annotation with a summary only gets no warning about fields that it lacks', async () => {
  await using test = await setupCode()
  test.commit('Add a client', { [FILE]: CLIENT })
  const region = { file: FILE, intent: 'Dial once, and wait', constraints: ['One at a time'] }
  expect((await test.annotate({ summary: SUMMARY, regions: [region] })).warnings).toEqual([])
})
