import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Edit } from '../../../src/install/format/edit.ts'
import { FORMATS } from '../../../src/install/format/formats.ts'
import { jsoncDocument } from './arbitrary-jsonc.ts'
import { isSample } from '../../level.ts'
import { SEED } from '../../seed.ts'

const RUNS = isSample ? 150 : 1000

const { json } = FORMATS

const EDITS: readonly Edit[] = [
  { kind: 'entry', path: ['waymark'], value: { command: 'waymark', args: ['serve'] } },
  { kind: 'entry', path: ['mcpServers', 'waymark'], value: { command: 'waymark', args: [] } },
  { kind: 'item', path: ['hooks', 'SessionStart'], value: { hooks: [{ command: 'x' }] } },
]

const edit = fc.constantFrom(...EDITS)

/** A file in which the path leads through something that is no object is refused, and a test of its own says so. */
function isEditable(text: string, given: Edit): boolean {
  try {
    json.put(text, given)
    return true
  } catch {
    return false
  }
}

/** An empty object with white space inside loses that white space; only the ledger can bring it back. */
function fillsBlankObject(text: string): boolean {
  return /[{[](?:\s|\/\/.*\n|\/\*[^]*?\*\/)+[}\]]/.test(text)
}

it('what is put into any JSON file can be taken out again without a trace', () => {
  fc.assert(
    fc.property(jsoncDocument, edit, (text, given) => {
      fc.pre(isEditable(text, given) && !fillsBlankObject(text))
      const next = json.put(text, given)
      expect(json.take(next, given, json.depth(text, given.path))).toBe(text)
    }),
    { seed: SEED, numRuns: RUNS * 2 },
  )
})

it('putting it twice is putting it once, and nothing else changes', () => {
  fc.assert(
    fc.property(jsoncDocument, edit, (text, given) => {
      fc.pre(isEditable(text, given))
      const next = json.put(text, given)
      expect(json.put(next, given)).toBe(next)
      expect(json.rest(next, given)).toEqual(json.rest(text, given))
      expect(charactersOf(next, text)).toBe(text)
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

it('taking it out of any file leaves the rest and every comment', () => {
  fc.assert(
    fc.property(jsoncDocument, (text) => {
      const given: Edit = { kind: 'entry', path: ['a'], value: null }
      const next = json.take(text, given)
      expect(json.find(next, given)).toBeUndefined()
      expect(json.rest(next, given)).toEqual(json.rest(text, given))
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

/** As much of `expected` as occurs in `text` in the same order: all of it, if only something was added. */
function charactersOf(text: string, expected: string): string {
  let at = 0
  for (const character of text) if (character === expected.charAt(at)) at += 1
  return expected.slice(0, at)
}
