import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { showCodeTree } from '../../../src/annotation/summary/tree.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { longestTurn } from '../../event-loop.ts'
import { CLIENT, setupCode } from './code-setup.ts'

/** Without a limit on levels each path of this test takes milliseconds, and all of them one turn. */
const HELD_UP = 1_500

it('folders add up what their files say, and follow the code, the notes and the locks [code-tree]', async () => {
  await using test = await setupCode()
  test.commit('first', {
    'src/net/client.ts': CLIENT,
    'src/net/other.ts': CLIENT.replaceAll('Client', 'Other'),
    'src/main.ts': 'export function main() {\n  return 1\n}\n',
    'README.md': '# x\n',
  })
  const region = (file: string, anchor: string) => ({ file, anchor, intent: `why ${anchor}` })
  await test.annotate({
    summary: 'Connect',
    regions: [
      region('src/net/client.ts', 'Client.connect'),
      region('src/net/client.ts', 'parse'),
      region('src/main.ts', 'main'),
    ],
  })
  const tree = async (input: { path?: string; depth?: number } = {}) => {
    const { entries, total } = await execute(test.context, showCodeTree, input)
    const rows = entries.map(({ path, files, regions: { fresh, drifted, orphaned } }) => [
      path,
      files,
      `${fresh} ${drifted} ${orphaned}`,
    ])
    return { rows, total, entries }
  }
  const before = await tree()
  expect(before.rows).toEqual([
    ['src/', 3, '3 0 0'],
    ['src/main.ts', 1, '1 0 0'],
    ['src/net/', 2, '2 0 0'],
    ['src/net/client.ts', 1, '2 0 0'],
  ])
  expect(before.total).toMatchObject({ files: 4, annotated_files: 2 })
  expect(before.entries[1]).toMatchObject({ lines: 3, annotated_lines: 3 })
  expect((await tree({ depth: 1 })).rows).toEqual([['src/', 3, '3 0 0']])
  expect((await tree({ path: 'src/net' })).rows).toEqual([['src/net/client.ts', 1, '2 0 0']])

  // Without a commit, with one, and by one more note.
  test.write({ 'src/main.ts': 'export function main() {\n  return 2\n}\n' })
  expect((await tree()).rows[1]).toEqual(['src/main.ts', 1, '0 1 0'])
  test.commit('second', {
    'src/net/client.ts': CLIENT.replace('Number(text)', 'text.length'),
  })
  expect((await tree({ path: 'src/net' })).rows).toEqual([['src/net/client.ts', 1, '1 1 0']])
  await test.annotate({ summary: 'Other', regions: [region('src/net/other.ts', 'Other.close')] })
  expect((await tree({ path: 'src/net' })).rows).toHaveLength(2)

  await execute(test.context, createTask, { title: 'Speed', locks: ['src/net/**'] })
  await execute(test.as('ada'), claimTask, { id: '1' })
  const { entries } = await tree()
  expect(entries.flatMap(({ path, locked_by }) => (locked_by === undefined ? [] : [path]))).toEqual(
    ['src/', 'src/net/', 'src/net/client.ts', 'src/net/other.ts'],
  )
  expect(entries.at(-1)?.locked_by).toEqual([{ agent: 'ada', task: 1 }])
})

it('thousands of levels hold up no other request [code-tree-levels]', async () => {
  await using test = await setupCode()
  const file = 'deep/main.ts'
  const [levels, files] = [1900, 3000]
  const folder = `deep/${'a/'.repeat(levels)}`
  const paths = [file, ...Array.from({ length: files }, (_, at) => `${folder}${at}`)]
  const stream = `commit refs/heads/deep
committer Test Author <author@example.com> 1767225600 +0000
data 4
deep
${paths.map((path) => `M 100644 inline ${path}\ndata 11\nconst a = 1`).join('\n')}
`
  execFileSync('git', ['fast-import', '--quiet'], { cwd: test.directory, input: stream })
  test.git('symbolic-ref', 'HEAD', 'refs/heads/deep')
  test.write({ [file]: 'const a = 1' })
  await test.annotate({ summary: 'Deep', regions: [{ file, intent: 'The one that is read' }] })
  const reading = execute(test.context, showCodeTree, {})
  expect(await longestTurn(reading)).toBeLessThan(HELD_UP)
  expect(await reading).toMatchObject({
    entries: [{ path: 'deep/', files: files + 1 }, { path: file }],
    total: { files: files + 1, annotated_files: 1 },
  })
})
