import { describe, expect, test } from 'vitest'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { flushLocalChanges, emptyMergeReport, applyLines } from '../../src/sync/merge/merge.ts'
import { DOCUMENT_LIMITS, LINE_LIMITS } from '../../src/sync/log/limits.ts'
import { checkLine, type LogLine, parseLine } from '../../src/sync/log/log-line.ts'
import { loadLoro, type LoroModule } from '../../src/sync/document/loro.ts'
import { forgeChain, forgedId, forgeLine, insertText, noteOps, setValue } from './hostile-log.ts'
import { createReplica, type TestReplica } from './replicas.ts'

const ID = forgedId(1)
const line = (text: string): LogLine => parseLine(text) ?? expect.unreachable()

describe('a line that builds on others', () => {
  test('and makes no sense there does not take them with it, in whatever order they come', async () => {
    const honest = line(forgeLine(ID, [...noteOps(), insertText('content', 'honest\n')]))
    const deps = [{ peer: '7', counter: 6 }]
    const nonsense = line(forgeLine(ID, [insertText('content', 'x', 500)], { peer: '8', deps }))
    for (const order of [[[nonsense], [honest]], [[honest], [nonsense]], [[nonsense, honest]]]) {
      await using ada = await createReplica('ada')
      const refused = []
      for (const lines of order) refused.push(...(await ada.takeIn(lines)).refused)
      expect(refused).toEqual([{ hash: nonsense.hash, entityId: ID, reason: 'refused' }])
      expect((await ada.run(getEntity, { id: ID })).content).toBe('honest')
      expect(await ada.store.replica.countStrays()).toBe(0)
    }
  })

  test('is taken in as far as it is ready, and all of it once the rest has come', async () => {
    await using ada = await createReplica('ada')
    await ada.takeIn([line(forgeChain(ID, 1, 600)), line(forgeLine(forgedId(2), noteOps()))])
    expect(await ada.store.replica.countStrays()).toBe(1)
    await ada.takeIn([line(forgeLine(ID, noteOps(), { peer: '100' }))])
    expect(await ada.store.replica.countStrays()).toBe(0)
    expect((await ada.run(getEntity, { id: ID })).title).toBe('title 600')
  })
})

describe('a history', () => {
  test('has an end: what would make it longer is set aside', async () => {
    expect(checkLine(forgeChain(ID, 1, LINE_LIMITS.changes + 1))).toMatchObject({
      reason: 'too_many',
    })
    await using ada = await createReplica('ada')
    const text = 'some words\n'.repeat(18_000)
    const most = Math.ceil(DOCUMENT_LIMITS.beside / text.length)
    const texts = Array.from({ length: most }, (_, n) =>
      insertText('content', text, n * text.length),
    )
    await ada.takeIn([line(forgeLine(ID, [...noteOps(), ...texts]))])
    const beside = line(forgeLine(ID, [insertText('content', 'more')], { peer: '8' }))
    expect((await ada.takeIn([beside])).refused).toMatchObject([{ reason: 'document_full' }])
    const deps = [{ peer: '7', counter: 6 + most * text.length }]
    const after = line(forgeLine(ID, [setValue('list:tags', 'x', 0)], { peer: '9', deps }))
    expect((await ada.takeIn([after])).refused).toEqual([])
    // What is changed here is never refused, and the text that is shown is bounded.
    await ada.run(updateEntity, { id: ID, title: 'still here' })
    const { title, content, tags } = await ada.run(getEntity, { id: ID })
    expect([title, ...tags]).toEqual(['still here', 'x'])
    expect(content?.length).toBe(10 * 100 * 1024)
  })
})

describe('the document engine that fails in the middle of its work', () => {
  test.each(['import', 'read', 'write'] as const)(
    'on %s costs the line that made it fail, and nothing else',
    async (when) => {
      await using ada = await createReplica('ada')
      const { id } = await ada.run(createEntity, { type: 'note', title: 'honest', content: 'a' })
      await flushLocalChanges(ada.context, loadLoro())
      const lines = ['one', 'TRAP', 'two'].map((tag, n) =>
        line(forgeLine(id, [setValue('list:tags', tag, n)], { peer: String(50 + n) })),
      )
      const incoming = emptyMergeReport()
      const engine = failingEngine(when)
      await applyLines(
        ada.context,
        engine,
        { lines, isLogged: true, received: { via: 'sync' } },
        incoming,
      )
      expect(incoming.refused).toEqual([
        { hash: lines[1]?.hash, entityId: id, reason: 'engine_fault' },
      ])
      expect((await ada.run(getEntity, { id })).tags).toEqual(['one', 'two'])
      await expectUsable(ada)
    },
  )
})

async function expectUsable(replica: TestReplica): Promise<void> {
  const { id } = await replica.run(createEntity, { type: 'note', title: 'after' })
  await replica.run(updateEntity, { id, title: 'after that' })
  expect(await replica.lines()).toHaveLength(2)
}

/** The engine as it would be if a tag of this name made it trap. */
function failingEngine(when: 'import' | 'read' | 'write'): LoroModule {
  const trap = (): never => {
    throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' })
  }
  const real = loadLoro()
  const marked = new WeakSet<object>()
  class FailingDoc extends real.LoroDoc {
    override importJsonUpdates(
      ...args: Parameters<InstanceType<LoroModule['LoroDoc']>['importJsonUpdates']>
    ) {
      if (JSON.stringify(args).includes('TRAP')) {
        marked.add(this)
        if (when === 'import') trap()
      }
      return super.importJsonUpdates(...args)
    }
    override toJSON() {
      return when === 'read' && marked.has(this) ? trap() : super.toJSON()
    }
    override export(
      ...args: Parameters<InstanceType<LoroModule['LoroDoc']>['export']>
    ): Uint8Array {
      return when === 'write' && marked.has(this) ? trap() : super.export(...args)
    }
  }
  const LoroDoc = FailingDoc as unknown as LoroModule['LoroDoc']
  return { LoroDoc, VersionVector: real.VersionVector }
}
