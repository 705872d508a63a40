import type { Match } from './text/plan.ts'
import { readAll, type Readings } from './text/reading.ts'
import {
  judge,
  type Lengths,
  type Relevance,
  type Surrounding,
  type WeighedConcept,
} from './text/relevance.ts'
import { type Expectation, fitOf } from './text/spoken.ts'
import type { FoundDocument } from './store.ts'

/** What documents are judged by. */
export interface Standard {
  readonly concepts: readonly WeighedConcept[]
  readonly match: Match
  readonly expectation: Expectation
  readonly averages: Lengths
}

interface Read {
  readonly document: FoundDocument
  readonly readings: Readings
}

export interface Judged extends Read, Relevance {}

export function judgeDocument(
  { document, readings }: Read,
  { concepts, averages, expectation }: Standard,
  surroundings: readonly Surrounding[] = [],
): Judged {
  const { score, coverage } = judge(readings, concepts, averages, surroundings)
  return { document, readings, score: score * fitOf(document.body, expectation), coverage }
}

interface Documents {
  documents(ids: readonly number[], types?: readonly string[]): Promise<readonly FoundDocument[]>
}

type Beside = readonly (readonly [place: number, weight: number])[]

/** How much of what was written so many places after it (before it: negative) belongs to a short text. */
const BESIDE: Readonly<Record<'noted' | 'said', Beside>> = {
  noted: [
    [-1, 0.5],
    [-2, 0.2],
    [1, 0.2],
  ],
  /** A speaker goes on with what was spoken of for longer. */
  said: [
    [-1, 0.6],
    [-2, 0.4],
    [-3, 0.25],
    [-4, 0.15],
    [1, 0.2],
  ],
}
/** So many of the best matches bring in what stands beside them. */
const MATCHES = 30
/** A text of so many words leans on its neighbours fully, one of twice as many not at all. */
const SHORT = 25
/** Types of texts that lean on their neighbours, which are of the same type: no other is read. */
const LEANING = ['note', 'message']
const SAME_SITTING_MS = 3_600_000

/**
 * Short texts that were written one after the other, such as the turns of a conversation, speak of what those before
 * them named: `Three, all girls.` Notes and messages are judged together with their neighbours, and found by them.
 */
export async function withNeighbours(
  search: Documents,
  judged: readonly Judged[],
  standard: Standard,
): Promise<readonly Judged[]> {
  const short = judged.filter((one) => shortnessOf(one) > 0)
  const best = short.toSorted((a, b) => b.score - a.score).slice(0, MATCHES)
  const found = new Set(judged.map(({ document }) => document.id))
  const isOpen = admitsOthers(standard)
  const affected = new Set<number>()
  const needed = new Set<number>()
  for (const one of best) {
    const { id } = one.document
    const places = besideOf(one).map(([place]) => place)
    for (const near of [id, ...places.map((place) => id - place)]) {
      // Documents that cannot be results are not read, nor their neighbours.
      if (!isOpen && !found.has(near)) continue
      affected.add(near)
      for (const place of [0, ...places]) needed.add(near + place)
    }
  }
  const texts = await readMissing(search, judged, needed, standard)
  const again = new Map<number, Judged>()
  for (const id of affected) {
    const text = texts.get(id)
    if (text === undefined) continue
    const surroundings = surroundingsOf(text, texts)
    if (surroundings.length === 0 || !(found.has(id) || mayJoin(text, standard))) continue
    const one = judgeDocument(text, standard, surroundings)
    if (one.score > 0) again.set(id, one)
  }
  return [...judged.filter(({ document }) => !again.has(document.id)), ...again.values()]
}

/** All that was read, and these documents too, by id. */
async function readMissing(
  search: Documents,
  judged: readonly Judged[],
  ids: ReadonlySet<number>,
  { concepts }: Standard,
): Promise<ReadonlyMap<number, Read>> {
  const texts = new Map<number, Read>(judged.map((one) => [one.document.id, one]))
  const missing = [...ids].filter((id) => id > 0 && !texts.has(id))
  const documents = missing.length === 0 ? [] : await search.documents(missing, LEANING)
  const readings = readAll(
    documents.map((document) => ({ ...document, linked: [] })),
    concepts,
  )
  for (const [at, document] of documents.entries()) {
    const read = readings[at]
    if (read !== undefined) texts.set(document.id, { document, readings: read })
  }
  return texts
}

function besideOf({ readings: { speaker } }: Read): Beside {
  return speaker.length > 0 ? BESIDE.said : BESIDE.noted
}

function surroundingsOf(text: Read, texts: ReadonlyMap<number, Read>): readonly Surrounding[] {
  return besideOf(text).flatMap(([place, weight]) => {
    const other = texts.get(text.document.id + place)
    if (other === undefined || !isSameSitting(text.document, other.document)) return []
    const share = weight * shortnessOf(text) * shortnessOf(other)
    return share > 0 ? [{ readings: other.readings, weight: share }] : []
  })
}

/** Written by one author within an hour; of messages, the other one answers. */
function isSameSitting(one: FoundDocument, other: FoundDocument): boolean {
  return (
    one.kind === other.kind &&
    one.type === other.type &&
    (one.kind === 'message' || one.author === other.author) &&
    Math.abs(one.createdAt - other.createdAt) <= SAME_SITTING_MS
  )
}

/** Whether texts without any of the words may be results: no filter or quotation excludes them. */
function admitsOthers({ concepts, match, expectation }: Standard): boolean {
  const { facets, createdAfter, createdBefore } = match
  return (
    expectation.isAnswer &&
    facets.length === 0 &&
    createdAfter === undefined &&
    createdBefore === undefined &&
    !concepts.some(({ isRequired }) => isRequired)
  )
}

function mayJoin({ document }: Read, standard: Standard): boolean {
  const { kinds } = standard.match
  return admitsOthers(standard) && (kinds === undefined || kinds.includes(document.kind))
}

/** 0 to 1. Decisions, tasks and titles without a text stand for themselves. */
function shortnessOf({ document: { type }, readings: { body } }: Read): number {
  if (body.length === 0 || !LEANING.includes(type)) return 0
  return Math.max(0, Math.min(1, 2 - body.length / SHORT))
}
