import { expect, it } from 'vitest'
import { fromStoredRecord, toStoredRecord } from '../../../src/annotation/notes/stored-record.ts'
import { type AnnotationRecord, toRecord } from '../../../src/annotation/record.ts'

function recordOf(region: object, others: object = {}): AnnotationRecord {
  const record = toRecord({
    $schema: 'ultragit/v1',
    id: 'a',
    summary: 'Why',
    regions: [{ file: 'a.ts', intent: 'To be short', ...region }],
    ...others,
  })
  if (record === undefined) throw new Error('no record')
  return record
}

const stored = (record: AnnotationRecord) =>
  fromStoredRecord(JSON.parse(toStoredRecord(record)) as Parameters<typeof fromStoredRecord>[0])

it('a stored record comes back with all of its lists, empty ones too', () => {
  const plain = recordOf({})
  expect(stored(plain)).toEqual(plain)
  const full = recordOf(
    {
      constraints: [{ text: 'keep', source: 'author' }],
      tags: ['t'],
      semantic_dependencies: [{ file: 'b.ts', anchor: 'b', nature: 'calls' }],
    },
    {
      supersedes: ['b'],
      cross_cutting: [
        { description: 'all', regions: [{ file: 'c.ts' }], tags: [] },
        { description: 'some', regions: [], tags: ['x'] },
      ],
    },
  )
  expect(full.cross_cutting).toHaveLength(2)
  expect(stored(full)).toEqual(full)
})

it('a record that was stored with its empty lists is read as one without', () => {
  const plain = recordOf({})
  const whole = JSON.parse(JSON.stringify(plain)) as AnnotationRecord
  expect(fromStoredRecord(whole)).toEqual(plain)
  expect(toStoredRecord(plain).length).toBeLessThan(JSON.stringify(plain).length * 0.7)
})
