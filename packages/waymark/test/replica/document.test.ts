import { describe, expect, test } from 'vitest'
import { EntityDocument } from '../../src/sync/document/document.ts'
import { parseLine, toUpdateLine } from '../../src/sync/log/log-line.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import type { EntityChange } from '../../src/sync/document/ops-store.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const ID = toEntityId('0189d3a0-0000-7000-8000-000000000001')
const OTHER = '0189d3a0-0000-7000-8000-000000000002'
const PARROT = '🦜:cid:root-x:Map'
const loro = loadLoro()

/** Every kind of change there is, with values of every kind. */
const CHANGES: readonly EntityChange[] = [
  { fields: { title: 'a title', created_by: null }, content: 'one\ntwo', tags: ['a', 'b'] },
  { content: 'one\nthree\ntwo', properties: { priority: 3, context: 'why', other: { x: null } } },
  { relations: { [`blocks ${OTHER}`]: { created_at: 1, created_by: null, properties: {} } } },
  { content: null, tags: [], properties: { priority: null, list: ['x', 'x'], status: 'todo' } },
  { relations: { [`blocks ${OTHER}`]: null } },
  { deleted: true },
  { deleted: false },
  { renumbered: 7 },
]

function applyAll(document: EntityDocument, changes: readonly EntityChange[], from = 0): void {
  for (const [index, change] of changes.entries()) {
    const by = index % 2 === 0 ? null : 'ada'
    document.apply({ at: from + index, by, change: JSON.stringify(change) })
  }
}

/** Through a line of the log, as it comes from another clone. */
function send(from: EntityDocument, to: EntityDocument, since: Uint8Array | null): void {
  const line = parseLine(toUpdateLine(ID, from.updatesSince(since)))
  if (line === undefined || !('update' in line)) return expect.unreachable()
  expect(to.import(line.update).size).toBeGreaterThan(0)
}

/** What it says; containers that were only looked at are empty and say nothing. */
function said(document: EntityDocument): object {
  return Object.fromEntries(
    Object.entries(document.read()).filter(
      ([, value]) => !['{}', '""'].includes(JSON.stringify(value)),
    ),
  )
}

describe.each([
  ['short', 0],
  ['long', 100],
])('a document with a %s past', (_, length) => {
  test('sends only what is new, and all of it', () => {
    using mine = new EntityDocument(loro, ID)
    using theirs = new EntityDocument(loro, ID)
    const past = Array.from({ length }, (_, n) => ({ fields: { title: `title ${n}` } }))
    applyAll(mine, past)
    if (length > 0) send(mine, theirs, null)
    for (const [index, change] of CHANGES.entries()) {
      const version = mine.version()
      applyAll(mine, [change], length + index)
      using reopened = new EntityDocument(loro, ID, mine.toBytes())
      send(reopened, theirs, length + index > 0 ? version : null)
      expect(said(theirs)).toEqual(said(mine))
      expect(said(reopened)).toEqual(said(mine))
    }
    expect(theirs.changes()).toEqual(mine.changes())
  })

  test('keeps texts that the library would take for something else', () => {
    using mine = new EntityDocument(loro, ID)
    using theirs = new EntityDocument(loro, ID)
    const past = Array.from({ length }, (_, n) => ({ fields: { title: `title ${n}` } }))
    applyAll(mine, past)
    if (length > 0) send(mine, theirs, null)
    const version = length > 0 ? mine.version() : null
    for (const text of [PARROT, '🦜:', '🦜', '\u0010', '\u0010🦜']) {
      const properties = { owner: text, deep: { [text]: [text] }, status: text, list: [text] }
      const change = { fields: { title: text }, content: text, tags: [text], properties }
      mine.apply({ at: 1000, by: text, change: JSON.stringify(change) })
      expect(mine.read()).toMatchObject({
        fields: { title: text, updated_by: text },
        'text:content': `${text}\n`,
        'list:tags': { [text]: 0 },
        properties: { owner: text, deep: { [text]: [text] } },
      })
    }
    send(mine, theirs, version)
    expect(said(theirs)).toEqual(said(mine))
  })
})
