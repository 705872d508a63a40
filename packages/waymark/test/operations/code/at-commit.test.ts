import { expect, it } from 'vitest'
import { showCode } from '../../../src/annotation/read/margin.ts'
import { execute } from '../../../src/core/execute.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const CHANGED = CLIENT.replace('dial(this.url, retries)', 'dial(this.url, retries + 1)')

/** A reason of the first commit, code that the second changed, a third that says why, and a line that is not committed. */
async function written(): Promise<CodeSetup> {
  const test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  await test.annotate({
    summary: 'A client',
    regions: [{ file: FILE, anchor: 'connect', intent: 'Dial with retries' }],
  })
  test.commit('two', { [FILE]: CHANGED })
  await test.annotate({
    summary: 'Numbers',
    regions: [{ file: FILE, anchor: 'connect', intent: 'The broker forgets one' }],
  })
  test.write({ [FILE]: `${CHANGED}// later\n` })
  return test
}

const show = (test: CodeSetup, input: object = {}) =>
  execute(test.context, showCode, { path: FILE, ...input })

it('a file is shown as it was in a commit, with the reasons that were known and held then [code-at-commit]', async () => {
  await using test = await written()
  const told = async (rev?: string) => {
    const { lines, regions, rev: at } = await show(test, { rev })
    return {
      at: at?.subject,
      text: lines.find((line) => line.includes('dial(this'))?.trim(),
      hasLater: lines.includes('// later'),
      reasons: regions.map(({ intent, freshness }) => `${intent}: ${freshness.state}`).toSorted(),
    }
  }
  const [before, after] = ['retries)', 'retries + 1)'].map((end) => `await dial(this.url, ${end}`)
  expect(await told('HEAD~1')).toEqual({
    at: 'one',
    text: before,
    hasLater: false,
    reasons: ['Dial with retries: fresh'],
  })
  const both = ['Dial with retries: drifted', 'The broker forgets one: fresh']
  expect(await told('HEAD')).toEqual({ at: 'two', text: after, hasLater: false, reasons: both })
  // What a look at an earlier commit has left in caches says nothing of today.
  expect(await told()).toEqual({ at: undefined, text: after, hasLater: true, reasons: both })
})

it('who last changed each line is told where it is asked for, and which lines are not committed [code-blame]', async () => {
  await using test = await written()
  expect(await show(test)).not.toHaveProperty('blame')
  const { blame = [], commits = [], lines } = await show(test, { blame: true })
  const subjects = new Map(commits.map(({ commit, subject }) => [commit, subject]))
  const told = blame.flatMap(({ start, end, commit }) =>
    lines.slice(start - 1, end).map((line) => [line, commit && subjects.get(commit)]),
  )
  expect(told.map(([line]) => line)).toEqual(lines)
  expect(told.filter(([, subject]) => subject !== 'one')).toEqual([
    ['    await dial(this.url, retries + 1)', 'two'],
    ['// later', undefined],
  ])
  expect(commits.map(({ author }) => author)).not.toContain('')
  const part = await show(test, { blame: true, anchor: 'parse' })
  expect(part.commits?.map(({ subject }) => subject)).toEqual(['one'])
  expect(part.blame).toMatchObject([{ start: part.first_line }])
})

it('a revision that is not there, or has no such file, is refused in words', async () => {
  await using test = await written()
  await expect(show(test, { rev: 'nowhere' })).rejects.toThrow('no commit "nowhere"')
  await expect(show(test, { rev: '--output=x' })).rejects.toThrow('no commit')
  await expect(show(test, { rev: 'HEAD', path: 'src/none.ts' })).rejects.toThrow('File not found')
})
