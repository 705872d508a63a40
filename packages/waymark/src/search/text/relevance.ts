import type { Concept, Phrase } from './plan.ts'
import { wordsOf } from './document.ts'
import { stemOf } from './stem.ts'

/** How much each observation counts. Learnt on one half of the benchmark's questions, judged on the other. */
const RELEVANCE = {
  title: 1.5,
  body: 1,
  tags: 1.5,
  linked: 0.3,
  /** How soon further mentions of a word stop adding. */
  saturation: 2,
  titleLength: 0.3,
  bodyLength: 0.85,
  coverage: 0.5,
  nearness: 0.3,
  window: 12,
  smooth: 10,
}

/** The texts of a document that a query is compared with. */
export interface Texts {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  /** Titles of what it is linked to. */
  readonly linked: readonly string[]
}

/** A concept with the rarity of each of its alternatives. */
export interface WeighedConcept extends Concept {
  readonly rarity: number
  readonly rarities: readonly number[]
  /** In how many documents each alternative is. */
  readonly counts: readonly number[]
}

export interface Relevance {
  readonly score: number
  /** How much of what was asked for the document has, 0 to 1, rare words counting more. */
  readonly coverage: number
}

/** How telling a term is that this many of all documents have: the idf of BM25, never negative. */
export function rarityOf(count: number, documents: number): number {
  return Math.log(1 + (Math.max(documents, count) - count + 0.5) / (count + 0.5))
}

const FIELDS = ['title', 'body', 'tags', 'linked'] as const
type Field = (typeof FIELDS)[number]

interface Reading {
  readonly length: number
  /** Where each term that matters stands. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** What a document says about the concepts, field by field. */
export type Readings = Readonly<Record<Field, Reading>>

export function readAll(
  documents: readonly Texts[],
  concepts: readonly Concept[],
): readonly Readings[] {
  const telling = new Set(
    concepts.flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms)),
  )
  return documents.map((document) => read(document, telling))
}

/** BM25F over the fields of each document, with a bonus for words that stand together. */
export function judge(
  readings: readonly Readings[],
  concepts: readonly WeighedConcept[],
): readonly Relevance[] {
  const averages = averageLengths(readings)
  return readings.map((reading) => judgeOne(reading, concepts, averages))
}

/** Longer texts are read so far: what stands behind it was found by the index, but earns no bonus. */
const LONGEST_READ = 8_000

function read({ title, body, tags, linked }: Texts, telling: ReadonlySet<string>): Readings {
  return {
    title: readText(title, telling),
    body: readText(body.slice(0, LONGEST_READ), telling),
    tags: readText(tags.join('\n'), telling),
    linked: readText(linked.join('\n'), telling),
  }
}

function readText(text: string, telling: ReadonlySet<string>): Reading {
  const places = new Map<string, number[]>()
  const note = (stem: string, place: number): void => {
    if (!telling.has(stem)) return
    const known = places.get(stem)
    if (known === undefined) places.set(stem, [place])
    else known.push(place)
  }
  let length = 0
  if (text === '') return { length, places }
  for (const { parts, joined } of wordsOf(text)) {
    if (joined !== undefined) note(stemOf(joined), length)
    for (const { term } of parts) {
      note(stemOf(term), length)
      length += 1
    }
  }
  return { length, places }
}

type Lengths = Readonly<Record<Field, number>>

function averageLengths(readings: readonly Readings[]): Lengths {
  const average = (field: Field): number =>
    readings.reduce((sum, reading) => sum + reading[field].length, 0) / readings.length || 1
  return {
    title: average('title'),
    body: average('body'),
    tags: average('tags'),
    linked: average('linked'),
  }
}

function judgeOne(
  reading: Readings,
  concepts: readonly WeighedConcept[],
  averages: Lengths,
): Relevance {
  let score = 0
  let covered = 0
  let mass = 0
  const places: (readonly number[])[] = []
  for (const concept of concepts) {
    const { best, share, found } = worthOf(reading, concept, averages)
    mass += concept.weight * concept.rarity
    covered += concept.weight * concept.rarity * share
    score += concept.weight * best
    places.push(found)
  }
  score += RELEVANCE.nearness * nearnessOf(concepts, places)
  const coverage = mass === 0 ? 0 : covered / mass
  return { score: score * (1 - RELEVANCE.coverage + RELEVANCE.coverage * coverage), coverage }
}

/** The alternative that says most about the document. */
function worthOf(
  reading: Readings,
  { alternatives, rarities }: WeighedConcept,
  averages: Lengths,
): { best: number; share: number; found: readonly number[] } {
  let best = 0
  let share = 0
  let found: readonly number[] = []
  for (const [at, alternative] of alternatives.entries()) {
    const places = FIELDS.map((field) => placesOf(alternative, reading[field].places))
    const mentions = FIELDS.reduce(
      (sum, field, index) =>
        sum + (RELEVANCE[field] * (places[index]?.length ?? 0)) / norm(field, reading, averages),
      0,
    )
    if (mentions === 0) continue
    const saturated = (mentions * (RELEVANCE.saturation + 1)) / (mentions + RELEVANCE.saturation)
    const worth = alternative.weight * (rarities[at] ?? 0) * saturated
    if (worth > best) {
      best = worth
      share = alternative.weight
    }
    const [title = [], body = []] = places
    const gap = reading.title.length + RELEVANCE.window
    found = [...found, ...title, ...body.map((place) => place + gap)]
  }
  return { best, share, found }
}

function norm(field: Field, reading: Readings, averages: Lengths): number {
  const share =
    field === 'title' ? RELEVANCE.titleLength : field === 'body' ? RELEVANCE.bodyLength : 0
  return (
    1 -
    share +
    (share * (reading[field].length + RELEVANCE.smooth)) / (averages[field] + RELEVANCE.smooth)
  )
}

const NOWHERE: readonly number[] = []

/** Where a phrase begins. */
function placesOf(
  { terms }: Phrase,
  places: ReadonlyMap<string, readonly number[]>,
): readonly number[] {
  const [first = '', ...rest] = terms
  const starts = places.get(first) ?? NOWHERE
  if (rest.length === 0) return starts
  return starts.filter((start) =>
    rest.every((term, at) => places.get(term)?.includes(start + at + 1) === true),
  )
}

/** What it is worth that words asked for together stand together. */
function nearnessOf(
  concepts: readonly WeighedConcept[],
  places: readonly (readonly number[])[],
): number {
  let sum = 0
  for (const [at, concept] of concepts.entries()) {
    const next = concepts[at + 1]
    const [here = NOWHERE, there = NOWHERE] = [places[at], places[at + 1]]
    if (next === undefined || here.length === 0 || there.length === 0) continue
    const distance = nearest(here, there)
    if (distance > RELEVANCE.window) continue
    const rarity = Math.min(concept.weight * concept.rarity, next.weight * next.rarity)
    sum += rarity / Math.max(1, distance)
  }
  return sum
}

function nearest(here: readonly number[], there: readonly number[]): number {
  let least = Infinity
  for (const one of here) for (const other of there) least = Math.min(least, Math.abs(one - other))
  return least
}
