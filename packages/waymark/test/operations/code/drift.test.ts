import { describe, expect, it } from 'vitest'
import { compareDrift } from '../../../src/annotation/drift/drift.ts'
import { reanchorReason } from '../../../src/annotation/drift/reanchor.ts'
import { correctCode } from '../../../src/annotation/write/correct.ts'
import { execute } from '../../../src/core/execute.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const CHANGED = CLIENT.replace('dial(this.url, retries)', 'dial(this.url, retries + 1)')
const asked = { path: FILE, anchor: 'Client.connect' }

/** A reason for `connect`, whose code was changed since. */
async function drifted(): Promise<CodeSetup & { record: string }> {
  const test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  const { record } = await test.annotate({
    summary: 'A client that retries on its own',
    regions: [
      { file: FILE, anchor: 'connect', intent: 'Dial once', constraints: ['at most ten'] },
      { file: FILE, anchor: 'parse', intent: 'Parse' },
    ],
  })
  test.commit('two', { [FILE]: CHANGED })
  return { ...test, record }
}

const reanchor = (test: CodeSetup, input: object, key?: string) =>
  execute(test.as('kim', key === undefined ? {} : { idempotencyKey: key }), reanchorReason, input)

describe('a reason whose code was changed', () => {
  it('is compared then and now [code-drift]', async () => {
    await using test = await drifted()
    const { state, before, today } = await execute(test.context, compareDrift, asked)
    expect(state).toBe('drifted')
    expect(before).toMatchObject({ file: FILE, first_line: 6, cut: 0 })
    expect(before?.text).toContain('await dial(this.url, retries)')
    expect(today?.text).toContain('await dial(this.url, retries + 1)')
    test.git('rm', '--quiet', FILE)
    test.git('commit', '--quiet', '-m', 'three')
    await expect(execute(test.context, compareDrift, asked)).rejects.toThrow('File not found')
  })

  it('is said again of the code of today with its author, and its old place says it no more [code-reanchor]', async () => {
    await using test = await drifted()
    await execute(test.as('ada'), correctCode, {
      ...asked,
      type: 'amend',
      field: 'intent',
      replacement: 'Dial',
      reason: 'it retries',
    })
    const done = await reanchor(test, asked)
    expect(done).toMatchObject({ replaced: test.record, file: FILE, was: 'drifted' })
    const { regions } = await test.read({ path: FILE })
    const told = regions.map((one) => `${one.intent}: ${one.freshness.state}, ${one.author}`)
    expect(new Set(told)).toEqual(new Set(['Dial once: fresh, tester', 'Parse: fresh, tester']))
    expect(told).toHaveLength(2)
    const [region] = (await test.read(asked)).regions
    expect(region?.constraints).toEqual([{ text: 'at most ten', source: 'author' }])
    expect(region?.corrections).toMatchObject([{ replacement: 'Dial' }])
    expect(region?.provenance).toMatchObject({
      derived_from: [test.record],
      synthesis_notes: 'still holds: kim',
    })
    const { record } = done
    const again = await reanchor(test, asked)
    expect(again).toMatchObject({ record, was: 'fresh' })
    expect(again).not.toHaveProperty('replaced')
  })

  it('is said once when the call is repeated with its key', async () => {
    await using test = await drifted()
    const done = await reanchor(test, asked, 'once')
    expect(await reanchor(test, asked, 'once')).toEqual(done)
    expect((await test.read(asked)).regions).toHaveLength(1)
  })

  it('stays as it is while its code has uncommitted changes, or is gone', async () => {
    await using test = await drifted()
    test.write({ [FILE]: CHANGED.replace('retries + 1', 'retries + 2') })
    await expect(reanchor(test, asked)).rejects.toThrow('commit them first')
    test.commit('three', { [FILE]: 'export const nothing = 1\n' })
    await expect(reanchor(test, { path: FILE, record: test.record })).rejects.toThrow('is gone')
    expect((await test.read({ path: FILE })).regions).toHaveLength(2)
  })

  it('is said again in full where another program wrote it, beyond what a call may hold [code-reanchor-foreign]', async () => {
    await using test = await setupCode()
    test.commit('one', { [FILE]: CLIENT })
    const tags = Array.from({ length: 60 }, (_, at) => `tag ${at}`)
    const region = {
      file: FILE,
      ast_anchor: { type: 'method', name: 'Client.connect' },
      lines: { start: 6, end: 8 },
      intent: 'x'.repeat(30_000),
      reasoning: 'no\u0007bell',
      related_annotations: [{ commit: 'abc', relationship: 'see' }],
      semantic_dependencies: [{ file: 'src/net.ts' }],
      tags,
    }
    const note = { $schema: 'ultragit/v1', id: 'R', summary: 'Foreign', regions: [region] }
    test.git('notes', '--ref=waymark', 'add', '-m', JSON.stringify(note), 'HEAD')
    test.commit('two', { [FILE]: CHANGED })
    expect(await reanchor(test, asked)).toMatchObject({ replaced: 'R', was: 'drifted' })
    const { regions } = await test.read(asked)
    expect(regions).toMatchObject([{ intent: region.intent, tags, freshness: { state: 'fresh' } }])
  })
})
