import type { Random } from '../../../packages/baton/test/support/random.ts'
import {
  LARGEST_NOTE,
  MOST_DOCUMENTS,
} from '../../../packages/waymark/src/annotation/notes/note-limits.ts'
import { mutate } from './mutate.ts'
import { BRACKETS, nested, ODD_TEXTS, oddValue } from './odd-values.ts'

/** An entry of the notes tree. */
export interface HostileNote {
  readonly path: string
  /** `D` takes away what is there. */
  readonly mode: '100644' | '120000' | '160000' | 'D'
  readonly body: Buffer
  /** It exceeds a bound, stands where a note stands, and so has to be named. */
  readonly isRefused?: boolean
}

export interface NoteTargets {
  /** Annotated commits. */
  readonly annotated: readonly string[]
  /** Annotations that a clone has written. */
  readonly records: readonly string[]
  /** Commits without a note. */
  readonly bare: readonly string[]
}

interface Forge {
  readonly random: Random
  readonly targets: NoteTargets
}

type Bodies = (forge: Forge) => string | Buffer

function record(id: string, more: object = {}): string {
  return JSON.stringify({
    $schema: 'ultragit/v1',
    id,
    summary: `what ${id} says`,
    regions: [{ file: 'code.ts', intent: `said by ${id}` }],
    ...more,
  })
}

/** Bodies that exceed a bound of a whole note. */
const REFUSED: Readonly<Record<string, Bodies>> = {
  blanks: () => ' '.repeat(LARGEST_NOTE + 1),
  many_records: () =>
    Array.from({ length: MOST_DOCUMENTS + 1 }, (_, at) => record(`r${at}`)).join('\n'),
}

/** Bodies with records that exceed a bound, or that are none. */
const ODD: Readonly<Record<string, Bodies>> = {
  deep: ({ random }) => {
    const depth = random.pick([17, 100_000, 500_000])
    return record('deep', { regions: 'PLACE' }).replace('"PLACE"', () =>
      nested(depth, random.pick(BRACKETS)),
    )
  },
  // By another id: a record with the id of another is another version of it, and both are folded into one.
  mutated: ({ random, targets }) => {
    const record = JSON.parse(random.pick(targets.records)) as object
    return JSON.stringify(mutate({ ...record, id: `mutated ${random.below(1e9)}` }, random))
  },
  long_author: () => record('author', { author: 'x'.repeat(10_000) }),
  long_text: () => record('text', { summary: 'x'.repeat(100_001) }),
  many_tags: () =>
    record('tags', { regions: [{ file: 'code.ts', intent: 'x', tags: Array(2_001).fill('a') }] }),
  odd_fields: ({ random }) =>
    record('odd', {
      author: oddValue(random),
      timestamp: oddValue(random),
      regions: [
        {
          file: oddValue(random),
          intent: oddValue(random),
          lines: oddValue(random),
          corrections: oddValue(random),
        },
      ],
      provenance: oddValue(random),
    }),
  odd_text: ({ random }) => random.pick(ODD_TEXTS),
  binary: ({ random }) => Buffer.from(Array.from({ length: 500 }, () => random.below(256))),
  braces: () => '{'.repeat(50_000),
  pretty: () => JSON.stringify(JSON.parse(record('pretty')), undefined, 2).repeat(3),
  empty: () => '',
}

/** About lines that no file has, and about a name that is gone: an answer says where it was. */
function farLines({ random }: Forge): string {
  const end = random.pick([2 ** 53, 1e300])
  const lines = { start: random.pick([1, end]), end }
  const ast_anchor = { type: 'function', name: 'gone' }
  return record('far lines', { regions: [{ file: 'code.ts', intent: 'x', lines, ast_anchor }] })
}

/** Paths at which no note stands. */
const ODD_PATHS = ['HEAD', 'refs/heads/main', 'set-aside', 'abc', 'ab/cd/ef', '0'.repeat(39), 'x y']

function someCommit({ random }: Forge): string {
  return Array.from({ length: 40 }, () => random.below(16).toString(16)).join('')
}

function fannedOut(commit: string): string {
  return `${commit.slice(0, 2)}/${commit.slice(2)}`
}

/** Of the places below: a commit that no clone has. */
const ANYWHERE = 6

/** So many entries. */
export function* forgeNotes(
  count: number,
  options: { readonly random: Random; readonly targets: NoteTargets },
): Generator<HostileNote> {
  const { random, targets } = options
  const refused = Object.values(REFUSED)
  const odd = Object.values(ODD)
  for (let at = 0; at < count; at += 1) {
    const annotated = random.pick(targets.annotated)
    // The large ones first, and not more than once each.
    const large = refused[at]
    if (large !== undefined) {
      const path = at % 2 === 0 ? annotated : someCommit(options)
      yield { path, mode: '100644', body: Buffer.from(large(options)), isRefused: true }
      continue
    }
    if (at === refused.length) {
      yield { path: annotated, mode: '100644', body: Buffer.from(farLines(options)) }
      continue
    }
    const turn = at - refused.length - 1
    const body = Buffer.from(odd[turn % odd.length]?.(options) ?? '')
    // Each once where a note stands, then anywhere.
    switch (turn < odd.length ? ANYWHERE : random.below(ANYWHERE + 1)) {
      case 0:
        yield { path: random.pick(ODD_PATHS), mode: '100644', body }
        break
      case 1:
        yield {
          path: fannedOut(someCommit(options)),
          mode: random.pick(['100644', '120000']),
          body,
        }
        break
      case 2:
        yield { path: someCommit(options), mode: '160000', body: Buffer.from(someCommit(options)) }
        break
      case 3:
        yield { path: fannedOut(annotated), mode: '100644', body }
        break
      case 4:
        yield { path: annotated, mode: random.pick(['100644', 'D']), body }
        break
      case 5:
        yield { path: random.pick(targets.bare), mode: '100644', body }
        break
      default:
        yield { path: someCommit(options), mode: '100644', body }
    }
  }
}
