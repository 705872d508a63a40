import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EntityDocument } from '../../src/sync/document/document.ts'
import { toEntityState } from '../../src/sync/document/document-state.ts'
import { type LogLine, parseLine, toUpdateLine } from '../../src/sync/log/log-line.ts'
import { loadLoro } from '../../src/sync/document/loro.ts'
import { parseSegment } from '../../src/sync/log/segment.ts'
import type { EntityChange } from '../../src/sync/document/ops-store.ts'
import { isSample } from '../level.ts'
import { SEED } from '../seed.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const RUNS = Number(process.env['WAYMARK_DOCUMENT_RUNS'] ?? (isSample ? 20 : 60))
const LIMIT = { timeout: 60_000 + RUNS * 100 }

const ID = toEntityId('0189d3a0-0000-7000-8000-000000000001')
const TARGETS = ['0189d3a0-0000-7000-8000-00000000000a', '0189d3a0-0000-7000-8000-00000000000b']
const BEGINNING: EntityChange = {
  fields: { type: 'task', number: 1, title: 'a task', created_at: 1, created_by: null },
  content: 'one\ntwo\nthree',
  tags: ['x'],
  properties: { status: 'todo', priority: 5 },
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'δελτα', '🙂')
const words = fc.uniqueArray(word, { maxLength: 4 })
const change: fc.Arbitrary<EntityChange> = fc.oneof(
  word.map((title) => ({ fields: { title } })),
  words.map((lines) => ({ content: lines.length === 0 ? null : lines.join('\n') })),
  words.map((tags) => ({ tags })),
  words.map((criteria) => ({ properties: { acceptance_criteria: criteria } })),
  fc.nat(9).map((priority) => ({ properties: { priority } })),
  fc
    .constantFrom('todo', 'in_progress', 'blocked', 'done', 'cancelled')
    .map((status) => ({ properties: { status } })),
  fc.record({ target: fc.constantFrom(...TARGETS), isDrawn: fc.boolean() }).map((edge) => ({
    relations: {
      [`blocks ${edge.target}`]: edge.isDrawn
        ? { created_at: 5, created_by: null, properties: {} }
        : null,
    },
  })),
  fc.boolean().map((deleted) => ({ deleted })),
  fc.nat(3).map((number) => ({ renumbered: number + 1 })),
)

/** Somebody changes something, or hears what another one has said, glued together, in any order, perhaps twice. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ who: fc.nat(2), change, at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      who: fc.nat(2),
      from: fc.nat(2),
      isReversed: fc.boolean(),
      isDoubled: fc.boolean(),
      isGlued: fc.boolean(),
    }),
  },
)

/** A clone: its document, and everything it has ever said or heard. */
interface Clone {
  readonly document: EntityDocument
  readonly lines: Map<string, LogLine>
}

function createClone(beginning: LogLine): Clone {
  const document = new EntityDocument(loadLoro(), ID)
  const clone = { document, lines: new Map<string, LogLine>() }
  hear(clone, [beginning])
  return clone
}

function begin(): LogLine {
  using document = new EntityDocument(loadLoro(), ID)
  document.apply({ at: 1, by: 'ada', change: JSON.stringify(BEGINNING) })
  return lineOf(document, null)
}

/** Only what is new since that version, as it goes into the log. */
function lineOf(document: EntityDocument, since: Uint8Array | null): LogLine {
  return parseLine(toUpdateLine(ID, document.updatesSince(since))) ?? expect.unreachable()
}

function edit({ document, lines }: Clone, at: number, by: string, edited: EntityChange): void {
  const since = document.version()
  document.apply({ at: 2 + at, by, change: JSON.stringify(edited) })
  const line = lineOf(document, since)
  lines.set(line.hash, line)
}

function hear({ document, lines }: Clone, heard: readonly LogLine[]): void {
  for (const line of heard) {
    lines.set(line.hash, line)
    if ('update' in line) document.import(line.update)
  }
}

test(
  'documents that have heard the same say the same, in whatever order they heard it [document-convergence-documents-heard]',
  LIMIT,
  () => {
    const beginning = begin()
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
        const clones = [1, 2, 3].map(() => createClone(beginning))
        for (const taken of steps) {
          const clone = clones[taken.who] ?? expect.unreachable()
          if ('change' in taken) edit(clone, taken.at, `agent ${taken.who}`, taken.change)
          else {
            const known = [...(clones[taken.from]?.lines.values() ?? [])]
            const said = taken.isReversed ? known.toReversed() : known
            const texts = [...said, ...(taken.isDoubled ? said : [])].map(({ text }) => text)
            hear(clone, parseSegment('any', texts.join(taken.isGlued ? '' : '\n')).lines)
          }
        }
        for (const teller of [...clones, ...clones]) {
          for (const listener of clones) hear(listener, [...teller.lines.values()])
        }
        const [first, ...others] = clones.map(({ document }) =>
          JSON.stringify(toEntityState(ID, document.read())),
        )
        for (const other of others) expect(other).toBe(first)
        expect(first).toContain(ID)
        for (const { document } of clones) document[Symbol.dispose]()
      }),
      { seed: SEED, numRuns: RUNS },
    )
  },
)
