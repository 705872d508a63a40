import type { Alternative, Concept } from './plan.ts'
import { FIELDS, type Field, NOWHERE, placesOf, type Readings } from './reading.ts'

/** How much each observation counts. Learnt on one half of the benchmark's questions, judged on the other. */
const RELEVANCE = {
  title: 1.5,
  body: 1,
  tags: 1.5,
  linked: 0.3,
  speaker: 2,
  /** Of a name by which one asks what that person said or did. */
  speakerName: 2,
  /** How soon further mentions of a word stop adding. */
  saturation: 2,
  titleLength: 0.3,
  bodyLength: 0.85,
  coverage: 0.3,
  nearness: 0.3,
  window: 12,
  smooth: 10,
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

/** A text that stands beside a document, and how much of its mentions are the document's. */
export interface Surrounding {
  readonly readings: Readings
  readonly weight: number
}

/** How telling a term is that this many of all documents have: the idf of BM25, never negative. */
export function rarityOf(count: number, documents: number): number {
  return Math.log(1 + (Math.max(documents, count) - count + 0.5) / (count + 0.5))
}

export type Lengths = Readonly<Record<Field, number>>

export function averageLengths(all: readonly Readings[]): Lengths {
  const average = (field: Field): number =>
    all.reduce((sum, readings) => sum + readings[field].length, 0) / all.length || 1
  return {
    title: average('title'),
    body: average('body'),
    tags: average('tags'),
    linked: average('linked'),
    speaker: average('speaker'),
  }
}

const FEWEST_SAID = 2

/** What speakers are called counts more than how rare it is: half of a conversation is by each of them. */
export function emphasiseSpeakers(
  concepts: readonly WeighedConcept[],
  all: readonly Readings[],
): readonly WeighedConcept[] {
  return concepts.map((concept) => {
    const [name = ''] = concept.alternatives[0]?.terms ?? []
    const said = all.filter(({ speaker }) => speaker.places.has(name)).length
    if (said < FEWEST_SAID) return concept
    return { ...concept, weight: concept.weight * RELEVANCE.speakerName }
  })
}

/** BM25F over the fields of a document and what surrounds it, with a bonus for words that stand together. */
export function judge(
  readings: Readings,
  concepts: readonly WeighedConcept[],
  averages: Lengths,
  surroundings: readonly Surrounding[] = [],
): Relevance {
  let score = 0
  let covered = 0
  let mass = 0
  const places: (readonly number[])[] = []
  for (const concept of concepts) {
    const { best, share } = worthOf(readings, concept, averages, surroundings)
    mass += concept.weight * concept.rarity
    covered += concept.weight * concept.rarity * share
    score += concept.weight * best
    places.push(placesIn(readings, concept))
  }
  score += RELEVANCE.nearness * nearnessOf(concepts, places)
  const coverage = mass === 0 ? 0 : covered / mass
  return { score: score * (1 - RELEVANCE.coverage + RELEVANCE.coverage * coverage), coverage }
}

/** The alternative that says most about the document. */
function worthOf(
  readings: Readings,
  { alternatives, rarities }: WeighedConcept,
  averages: Lengths,
  surroundings: readonly Surrounding[],
): { best: number; share: number } {
  let best = 0
  let share = 0
  for (const [at, alternative] of alternatives.entries()) {
    const own = mentionsIn(readings, alternative, averages)
    // What it says itself is not worth more for being said beside it too.
    const mentions = Math.max(own, mentionsBeside(surroundings, alternative, averages))
    if (mentions === 0) continue
    const saturated = (mentions * (RELEVANCE.saturation + 1)) / (mentions + RELEVANCE.saturation)
    const worth = alternative.weight * (rarities[at] ?? 0) * saturated
    if (worth <= best) continue
    best = worth
    // What only stands beside it is covered in part.
    share = alternative.weight * (own > 0 ? 1 : Math.min(1, mentions))
  }
  return { best, share }
}

const TEXTS: readonly Field[] = ['title', 'body']

function mentionsBeside(
  surroundings: readonly Surrounding[],
  alternative: Alternative,
  averages: Lengths,
): number {
  return surroundings.reduce(
    (sum, { readings, weight }) =>
      sum + weight * mentionsIn(readings, alternative, averages, TEXTS),
    0,
  )
}

/** Mentions in these fields, those in a long text counting less. */
function mentionsIn(
  readings: Readings,
  alternative: Alternative,
  averages: Lengths,
  fields: readonly Field[] = FIELDS,
): number {
  let sum = 0
  for (const field of fields) {
    const { length } = placesOf(alternative, readings[field])
    if (length > 0) sum += (RELEVANCE[field] * length) / norm(field, readings, averages)
  }
  return sum
}

function norm(field: Field, readings: Readings, averages: Lengths): number {
  const share =
    field === 'title' ? RELEVANCE.titleLength : field === 'body' ? RELEVANCE.bodyLength : 0
  return (
    1 -
    share +
    (share * (readings[field].length + RELEVANCE.smooth)) / (averages[field] + RELEVANCE.smooth)
  )
}

/** Where a concept stands in the title, and behind a gap in the text. */
function placesIn({ title, body }: Readings, { alternatives }: Concept): readonly number[] {
  const gap = title.length + RELEVANCE.window
  return alternatives.flatMap((alternative) => [
    ...placesOf(alternative, title),
    ...placesOf(alternative, body).map((place) => place + gap),
  ])
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
