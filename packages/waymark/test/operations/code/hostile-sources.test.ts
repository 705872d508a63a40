import { describe, expect, it } from 'vitest'
import { watchTurns } from '../../event-loop.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const LARGE = 500_000

/** Ambiguous code: the parser follows every meaning at once. */
const HOSTILE = { 'a.kt': 'a<b>(', 'a.cpp': 'a<b<', 'a.cs': 'a<b<', 'a.ts': 'a<b<' }

async function setupHostile(): Promise<CodeSetup> {
  const test = await setupCode()
  const hostile = Object.entries(HOSTILE).map(([path, shape]) => [
    path,
    shape.repeat(LARGE / shape.length),
  ])
  test.commit('Add sources', { ...Object.fromEntries(hostile), 'good.ts': CLIENT })
  return test
}

describe('a source file made to overload the parser', () => {
  it.each(Object.keys(HOSTILE))(
    '%s does not hold up the event loop, and the answer says why it has no outline',
    async (path) => {
      await using test = await setupHostile()
      const reading = test.read({ path, anchor: 'connect' })
      const turns = await watchTurns(reading)
      // A parser in the event loop would take a turn of seconds; one that is waited for would leave a handful of turns.
      expect(turns.longestMs).toBeLessThan(500)
      expect(turns.count).toBeGreaterThan(20)
      expect((await reading).notes).toEqual([
        expect.stringMatching(
          /^No outline of a\.\w+: parsing it takes more than (128 MB of memory|5 seconds)\. Returning file-level annotations\.$/,
        ),
      ])
    },
  )

  it('leaves other files with outlines right afterwards, and the memory as it was [hostile-sources-leaves-files]', async () => {
    await using test = await setupHostile()
    const before = process.memoryUsage.rss()
    for (const path of Object.keys(HOSTILE)) await test.read({ path })
    const { regions } = await test
      .annotate({
        summary: 'A client',
        regions: [{ file: 'good.ts', anchor: 'Client.connect', intent: 'Dial' }],
      })
      .then(() => test.read({ path: 'good.ts', anchor: 'Client.connect' }))
    expect(regions[0]).toMatchObject({ lines: { start: 6, end: 8 } })
    expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(500)
  })

  it('is annotated by its lines, and the warning says why the name was not looked up', async () => {
    await using test = await setupHostile()
    const { warnings } = await test.annotate({
      summary: 'Generated',
      regions: [{ file: 'a.cs', anchor: 'connect', lines: { start: 1, end: 1 }, intent: 'Test' }],
    })
    expect(warnings).toContainEqual(
      expect.stringMatching(
        /^no outline of a\.cs: parsing it takes more than .*; kept connect as it was given$/,
      ),
    )
  })
})
