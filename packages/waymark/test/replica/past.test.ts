import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withLater } from '../../src/sync/document/concurrent/concurrent.ts'
import { EntityDocument } from '../../src/sync/document/document.ts'
import { unguardState } from '../../src/sync/document/guarded-value.ts'
import { parseLine, toUpdateLine } from '../../src/sync/log/log-line.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import { Past } from '../../src/sync/history/past.ts'
import { SEED } from '../seed.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const ID = toEntityId('0189d3a0-0000-7000-8000-000000000001')
const loro = loadLoro()

const word = fc.constantFrom('', 'a', 'b', '🙂', 'a\nb', '🙂\nb\n🙃', 'b\n\na', '\u0010x', '🦜:x')
const change = fc.record(
  {
    fields: fc.record({ title: word }),
    content: fc.option(fc.array(word, { maxLength: 6 }).map((lines) => lines.join('\n'))),
    tags: fc.array(word, { maxLength: 3 }),
    properties: fc.record(
      { context: fc.option(word), owner: fc.option(word), status: word },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
/** Two clones, which hear of each other now and then. */
const step = fc.record({ who: fc.nat(1), change, meet: fc.integer({ min: 0, max: 5 }) })

/** What it says; containers that were only looked at are empty and say nothing. */
function said(state: object): object {
  return Object.fromEntries(
    Object.entries(state).filter(([, value]) => !['{}', '""'].includes(JSON.stringify(value))),
  )
}

/** What the library says, without the earlier ones of contradicting changes. */
function settled(
  document: EntityDocument,
  version: Parameters<EntityDocument['readAt']>[0],
): object {
  const state = unguardState(document.readAt(version))
  return withLater(state, document.changedTwice(state))
}

function send(from: EntityDocument, to: EntityDocument): void {
  const line = parseLine(toUpdateLine(ID, from.updatesSince(to.version())))
  if (line !== undefined && 'update' in line) to.import(line.update)
}

test('the past is what the library says it was, in whatever order it is looked at', () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(20)),
      (steps, looks) => {
        using mine = new EntityDocument(loro, ID)
        using theirs = new EntityDocument(loro, ID)
        for (const [at, { who, change, meet }] of steps.entries()) {
          const [own, other] = who === 0 ? [mine, theirs] : [theirs, mine]
          own.apply({ at, by: `${who}`, change: JSON.stringify(change) })
          if (meet === 0) send(own, other)
        }
        send(theirs, mine)
        using reference = new EntityDocument(loro, ID, mine.toBytes())
        const past = new Past(mine)
        expect(past.changes).toHaveLength(steps.length)
        for (const look of [...past.changes.keys(), ...looks.map((n) => n % steps.length)]) {
          const { before, after } = past.changes[look] ?? expect.unreachable()
          expect(said(past.before(look))).toEqual(said(settled(reference, before)))
          expect(said(past.after(look))).toEqual(said(settled(reference, after)))
        }
      },
    ),
    { numRuns: 40, seed: SEED },
  )
})
