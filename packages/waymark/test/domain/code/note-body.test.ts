import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addToNoteBody,
  formatNoteBody,
  mergeNoteBodies,
  parseNoteBody,
} from '../../../src/annotation/notes/note-body.ts'
import { toRecord } from '../../../src/annotation/record.ts'
import { SEED } from '../../seed.ts'

const record = (id: string, more: object = {}) => ({
  $schema: 'ultragit/v1',
  timestamp: '2026-11-15T12:00:00Z',
  id,
  commit: 'c'.repeat(40),
  summary: `summary of ${id}`,
  context_level: 'enhanced',
  regions: [{ file: 'a.ts', intent: 'because', corrections: [] }],
  ...more,
})

describe('reading a note', () => {
  it('one record on each line; blank lines mean nothing', () => {
    const body = `${JSON.stringify(record('1'))}\n\n${JSON.stringify(record('2'))}\n`
    expect(parseNoteBody(body)).toEqual({ documents: [record('1'), record('2')], unreadable: [] })
  })

  it('one pretty-printed record, though some of its lines are objects themselves', () => {
    const pretty = { ...record('1'), extra: [{}, { a: '}{"' }] }
    expect(parseNoteBody(JSON.stringify(pretty, null, 2)).documents).toEqual([pretty])
  })

  it('two pretty-printed records that a text merge put one after the other', () => {
    const body = [record('1'), record('2')].map((one) => JSON.stringify(one, null, 2)).join('\n\n')
    expect(parseNoteBody(body).documents).toEqual([record('1'), record('2')])
  })

  it('what cannot be read is given back, and hides nothing that can', () => {
    const body = `hello {world}\n${JSON.stringify(record('1'))}\n{"broken": \n${JSON.stringify(record('2'))}\n`
    const { documents, unreadable } = parseNoteBody(body)
    expect(documents).toEqual([record('1'), record('2')])
    expect(unreadable).toContain('hello {world}')
    expect(addToNoteBody(body, [record('3')])).toContain('hello {world}')
    expect(addToNoteBody(body, [record('3')])).toContain('{"broken":')
  })

  it('never throws and loses no text, whatever the note is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', 'a', ':', '\n', ' ', '1') }),
        (body) => {
          const again = formatNoteBody(parseNoteBody(body))
          for (const letter of ['a', '1']) {
            // Objects may say a thing twice and JSON keeps the last, so letters can only vanish inside objects.
            if (!body.includes('{')) expect(again.includes(letter)).toBe(body.includes(letter))
          }
        },
      ),
      { seed: SEED },
    )
  })

  it('a large note of odd lines takes no more than linear time', () => {
    const body = '{\n{}\n'.repeat(100_000)
    expect(parseNoteBody(body).unreadable.length).toBeGreaterThan(0)
  })
})

describe('records', () => {
  it('the older spellings of the format are understood', () => {
    const read = toRecord({
      schema: 'ultragit/v1',
      summary: 's',
      regions: [
        {
          file: './src/a.rs',
          ast_anchor: { unit_type: 'method', name: 'A::b' },
          lines: { start: 2, end: 5 },
          intent: 'i',
          constraints: ['plain', { text: 'told', source: 'inferred' }],
        },
      ],
      cross_cutting: [{ description: 'd', regions: ['src/a.rs:A::b', { file: 'b.rs' }] }],
    })
    expect(read).toMatchObject({
      context_level: 'inferred',
      regions: [
        {
          file: 'src/a.rs',
          kind: 'intent',
          ast_anchor: { type: 'method', name: 'A::b' },
          constraints: [
            { text: 'plain', source: 'author' },
            { text: 'told', source: 'inferred' },
          ],
        },
      ],
      cross_cutting: [{ regions: [{ file: 'src/a.rs', anchor: 'A::b' }, { file: 'b.rs' }] }],
      provenance: { operation: 'initial', derived_from: [] },
    })
  })

  it('another format is not taken for ours', () => {
    expect(toRecord({ $schema: 'something/v9', summary: 's' })).toBeUndefined()
  })

  it('one without an id gets one that does not change when it is corrected', () => {
    const plain = { $schema: 'ultragit/v1', summary: 's', regions: [{ file: 'a', intent: 'i' }] }
    const corrected = { ...plain, regions: [{ file: 'a', intent: 'i', corrections: [{ x: 1 }] }] }
    expect(toRecord(plain)?.id).toMatch(/^[0-9a-f]{32}$/)
    expect(toRecord(corrected)?.id).toBe(toRecord(plain)?.id)
  })
})

describe('merging notes', () => {
  const correction = (author: string) => ({
    correction_type: 'flag',
    correction_text: 'no longer so',
    timestamp: '2026-11-16T00:00:00Z',
    author,
  })
  const corrected = (id: string, ...authors: string[]) =>
    record(id, {
      regions: [{ file: 'a.ts', intent: 'because', corrections: authors.map(correction) }],
    })

  it('keeps fields that nobody here knows', () => {
    const foreign = record('1', { 'x-other-tool': { a: [1, 2] } })
    expect(addToNoteBody(JSON.stringify(foreign, null, 2), [record('2')])).toContain(
      '"x-other-tool":{"a":[1,2]}',
    )
  })

  it('corrections made on both sides are both kept, on one record', () => {
    const [ours, theirs] = [corrected('1', 'ann'), corrected('1', 'bob')].map((one) =>
      JSON.stringify(one),
    )
    const { documents } = parseNoteBody(mergeNoteBodies(ours ?? '', theirs ?? ''))
    expect(documents).toHaveLength(1)
    expect(
      toRecord(documents[0] ?? {})
        ?.regions[0]?.corrections.map(({ author }) => author)
        .toSorted(),
    ).toEqual(['ann', 'bob'])
  })

  it('a correction that two clones have at different times is one, and the earliest', () => {
    const at = (second: number) => {
      const timestamp = `2026-11-16T00:00:0${second}Z`
      const corrections = [{ ...correction('ann'), id: 'call', timestamp }]
      return JSON.stringify(record('1', { regions: [{ file: 'a.ts', intent: 'so', corrections }] }))
    }
    const merged = mergeNoteBodies(at(2), at(1))
    expect(merged).toBe(`${at(1)}\n`)
    expect(mergeNoteBodies(at(1), at(2))).toBe(merged)
    expect(mergeNoteBodies(merged, at(3))).toBe(merged)
  })

  it('gives the same in any order and any number of times', () => {
    const note = fc
      .array(fc.tuple(fc.constantFrom('1', '2', '3'), fc.subarray(['ann', 'bob', 'cy'])), {
        maxLength: 4,
      })
      .map((records) =>
        formatNoteBody({
          documents: records.map(([id, by]) => corrected(id, ...by)),
          unreadable: [],
        }),
      )
    fc.assert(
      fc.property(note, note, note, (a, b, c) => {
        const merged = mergeNoteBodies(a, b)
        expect(mergeNoteBodies(b, a)).toBe(merged)
        expect(mergeNoteBodies(merged, b)).toBe(merged)
        expect(mergeNoteBodies(merged, c)).toBe(mergeNoteBodies(a, mergeNoteBodies(b, c)))
      }),
      { seed: SEED, numRuns: 300 },
    )
  })

  it('is what git itself makes of the lines of two new records', () => {
    const [a = '', b = ''] = [record('1'), record('2')].map((one) => `${JSON.stringify(one)}\n`)
    expect(mergeNoteBodies(b, a)).toBe(a + b)
  })
})
