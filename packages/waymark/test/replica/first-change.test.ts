import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EntityDocument } from '../../src/sync/document/document.ts'
import { withHeard } from '../../src/sync/document/version.ts'
import {
  endOf,
  fromKeptForm,
  parseFirstChange,
  toFirstChange,
  toKeptForm,
  toState,
  toUpdate,
} from '../../src/sync/document/first-change.ts'
import { parseLine, toUpdateLine } from '../../src/sync/log/log-line.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import { SEED } from '../seed.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const ID = toEntityId('0189d3a0-0000-7000-8000-000000000001')
const loro = loadLoro()

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', '🦜:x', '\u0010', '\ud800', '__proto__', 'a\n\nb', '🙂\r\n🙃', '7'),
)
const value = fc.oneof(
  text,
  fc.array(text, { maxLength: 4 }),
  fc.constantFrom(null, true, 0, -3, 1.5, 1e300, 2 ** 53, [], [null], [['x']], { a: { b: [1] } }),
  fc.dictionary(text, text, { maxKeys: 2 }),
)
const name = fc.constantFrom('priority', 'context', 'template', 'status', 'tags', 'owner', 'Odd')
const creation = fc.record({
  at: fc.nat(),
  by: fc.option(text),
  change: fc.record(
    {
      fields: fc.record({ type: fc.constant('note'), title: text, created_by: fc.option(text) }),
      content: fc.option(text),
      tags: fc.array(text, { maxLength: 4 }),
      properties: fc.dictionary(name, value, { maxKeys: 4 }),
    },
    { requiredKeys: ['fields'] },
  ),
})

/** What it says; containers that were only looked at are empty and say nothing. */
function said(state: object): object {
  return Object.fromEntries(
    Object.entries(state).filter(([, value]) => !['{}', '""'].includes(JSON.stringify(value))),
  )
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

test('a first change is, in every detail, what the library makes of it', () => {
  let simple = 0
  fc.assert(
    fc.property(creation, ({ at, by, change }) => {
      const applied = { at, by, change: JSON.stringify(change) }
      const first = toFirstChange(ID, applied)
      if (first === undefined) return
      simple += 1
      using document = new EntityDocument(loro, ID)
      document.apply(applied)
      const update = document.updatesSince(null)
      // Through JSON, as it is in the log. The library has no order for the names in a value.
      expect(throughJson(toUpdate(first))).toEqual(throughJson(update))
      expect(said(toState(first))).toEqual(said(document.read()))

      const parsed = parseLine(toUpdateLine(ID, update))
      if (parsed !== undefined && 'update' in parsed) {
        expect(parseFirstChange(parsed.update)).toEqual(first)
      }
      const kept = toKeptForm(first)
      expect(fromKeptForm(kept)).toEqual(first)
      using reopened = new EntityDocument(loro, ID, kept)
      expect(reopened.read()).toMatchObject(said(document.read()))
      expect(reopened.version()).toEqual(document.version())
      expect(withHeard(loro, null, new Map([[first.peer, endOf(first)]]))).toEqual(
        document.version(),
      )
    }),
    { numRuns: 300, seed: SEED },
  )
  expect(simple).toBeGreaterThan(50)
})

test('what the library has written is not taken for a first change', () => {
  using document = new EntityDocument(loro, ID)
  document.apply({ at: 1, by: null, change: JSON.stringify({ fields: { title: 'a' } }) })
  expect(fromKeptForm(document.toBytes())).toBeUndefined()
})

const update = {
  schema_version: 1,
  start_version: {},
  peers: ['5'],
  changes: [
    {
      id: '0@0',
      timestamp: 1,
      deps: [],
      lamport: 0,
      msg: null,
      ops: [
        {
          container: 'cid:root-fields:Map',
          content: { type: 'insert', key: 'title', value: 'a' },
          counter: 0,
        },
        {
          container: 'cid:root-text:content:Text',
          content: { type: 'insert', pos: 0, text: 'a🙂\n' },
          counter: 1,
        },
        {
          container: 'cid:root-fields:Map',
          content: { type: 'delete', key: 'gone' },
          counter: 4,
        },
      ],
    },
  ],
}

function parse(given: object) {
  const line = parseLine(toUpdateLine(ID, given as never))
  return line !== undefined && 'update' in line ? parseFirstChange(line.update) : undefined
}

test.each<readonly [string, (given: typeof update) => unknown]>([
  ['a later change', ({ changes: [change] }) => ((change as { id: string }).id = '3@0')],
  ['a change that builds on another', ({ changes: [change] }) => change?.deps.push('0@0' as never)],
  [
    'another time than the first',
    ({ changes: [change] }) => ((change as { lamport: number }).lamport = 2),
  ],
  ['two changes', ({ changes }) => changes.push(...changes)],
  ['an author too many', ({ peers }) => peers.push('6')],
  ['a gap in the count', ({ changes }) => (changes[0]!.ops[2]!.counter = 5)],
  [
    'a text that does not begin at its start',
    ({ changes }) => (changes[0]!.ops[1]!.content.pos = 1),
  ],
  [
    'a text under the name of a map',
    ({ changes }) => (changes[0]!.ops[1]!.container = 'cid:root-fields:Text'),
  ],
  [
    'a map under the name of a text',
    ({ changes }) => (changes[0]!.ops[0]!.container = 'cid:root-text:content:Map'),
  ],
  ['a reserved value', ({ changes }) => (changes[0]!.ops[0]!.content.value = '🦜:cid:root-x:Map')],
  ['half a character', ({ changes }) => (changes[0]!.ops[0]!.content.value = '\ud800')],
])('%s is left to the library', (_, alter) => {
  expect(parse(update)).toBeDefined()
  const altered = structuredClone(update)
  alter(altered)
  expect(parse(altered)).toBeUndefined()
})
