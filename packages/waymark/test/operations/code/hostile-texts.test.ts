import { describe, expect, it } from 'vitest'
import { hashCode } from '../../../src/annotation/code-text.ts'
import { CodeTexts } from '../../../src/annotation/outline/code-texts.ts'
import { longestTurn } from '../../event-loop.ts'
import { CLIENT, setupCode } from './code-setup.ts'
import { toCommitId } from '../../../src/git/history/commit-id.ts'

const LARGE = 2_000_000
/** Without a worker thread each of these takes several seconds. */
const HELD_UP = 1_500

describe('a large text made to take long', () => {
  it('is hashed outside the event loop, and still found to be the same', async () => {
    await using test = await setupCode()
    test.commit('Add a text', { 'a.txt': '(\n'.repeat(LARGE / 2) })
    const annotating = test.annotate({
      summary: 'A text that is all brackets',
      regions: [{ file: 'a.txt', intent: 'Hold brackets' }],
    })
    expect(await longestTurn(annotating)).toBeLessThan(HELD_UP)
    const reading = test.read({ path: 'a.txt' })
    expect(await longestTurn(reading)).toBeLessThan(HELD_UP)
    expect((await reading).regions[0]?.freshness).toMatchObject({ state: 'fresh' })
  })

  it('is compared with what was committed outside the event loop', async () => {
    await using test = await setupCode()
    test.commit('Add a text', { 'a.txt': `top${'\n'.repeat(900_000)}` })
    await test.annotate({
      summary: 'A text of many lines',
      regions: [{ file: 'a.txt', lines: { start: 1, end: 1 }, intent: 'Be the top' }],
    })
    test.write({ 'a.txt': `top\n${'x\n'.repeat(900_000)}` })
    const reading = test.read({ path: 'a.txt' })
    expect(await longestTurn(reading)).toBeLessThan(HELD_UP)
    expect((await reading).regions[0]).toMatchObject({ lines: { start: 1, end: 1 } })
  })

  it('with more lines than a thread has memory for does not end the process', async () => {
    await using texts = new CodeTexts()
    const empty = '\n'.repeat(8_000_000)
    const map = await texts.compare(`a${empty}`, `b${empty}`)
    expect(map.toNewer({ start: 1, end: 1 })).toBeUndefined()
    const source = { text: `${empty}x`, blob: 'b'.repeat(40) }
    expect(await texts.hash(source, 'indented')).toBe(hashCode('x', 'indented'))
  })

  it('with thousands of names that are all brackets is asked for a name at once', async () => {
    await using test = await setupCode()
    const members = Array.from({ length: 1_500 }, (_, at) => `"${'('.repeat(900)}${at}": () => 1`)
    test.commit('Add names', { 'a.js': `const all = {\n${members.join(',\n')}\n}\n` })
    const reading = test.read({ path: 'a.js', anchor: 'connect' })
    expect(await longestTurn(reading)).toBeLessThan(HELD_UP)
    expect((await reading).notes).toEqual([expect.stringContaining("Anchor 'connect' not found")])
  })

  it('with more hunks than can be read has no blame, and others have theirs', async () => {
    await using test = await setupCode()
    const lines = (mark: string): string =>
      Array.from({ length: 120_000 }, (_, at) => (at % 2 === 0 ? `${mark}${at}` : `${at}`)).join(
        '\n',
      )
    test.commit('One', { 'a.txt': lines('a'), 'good.ts': CLIENT })
    test.commit('Two', { 'a.txt': lines('b') })
    const { regions } = await test.read({ path: 'a.txt', lines: '1:2' })
    expect(regions).toEqual([])
    const head = test.git('rev-parse', 'HEAD').trim()
    const hunksOf = async (path: string) =>
      (await test.repository.histories.of(toCommitId(head), path)).blame
    expect(await hunksOf('a.txt')).toEqual([])
    expect(await hunksOf('good.ts')).toHaveLength(1)
  })
})
