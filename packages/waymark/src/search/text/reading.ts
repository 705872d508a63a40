import { wordsOf } from './document.ts'
import type { Concept, Phrase } from './plan.ts'
import { speakerOf } from './spoken.ts'
import { mayStemTo, stemOf } from './stem.ts'

/** The texts of a document that a query is compared with. */
export interface Texts {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  /** Titles of what it is linked to. */
  readonly linked: readonly string[]
}

export const FIELDS = ['title', 'body', 'tags', 'linked', 'speaker'] as const
export type Field = (typeof FIELDS)[number]

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
  const terms = new Set(
    concepts.flatMap(({ alternatives }) =>
      alternatives.flatMap((alternative) => alternative.terms),
    ),
  )
  const telling = { terms, letters: new Set([...terms].map((term) => term.charCodeAt(0))) }
  return documents.map((document) => read(document, telling))
}

/** Longer texts are read so far: what stands behind it was found by the index, but earns no bonus. */
const LONGEST_READ = 8_000

interface Telling {
  readonly terms: ReadonlySet<string>
  /** What they begin with: most words of a text begin otherwise, and need no stem. */
  readonly letters: ReadonlySet<number>
}

function read({ title, body, tags, linked }: Texts, telling: Telling): Readings {
  return {
    title: readText(title, telling),
    body: readText(body.slice(0, LONGEST_READ), telling),
    tags: readText(tags.join('\n'), telling),
    linked: readText(linked.join('\n'), telling),
    speaker: readText(speakerOf({ title, body }), telling),
  }
}

function readText(text: string, telling: Telling): Reading {
  const places = new Map<string, number[]>()
  const note = (term: string, place: number): void => {
    if (!mayStemTo(telling.letters, term)) return
    const stem = stemOf(term)
    if (!telling.terms.has(stem)) return
    const known = places.get(stem)
    if (known === undefined) places.set(stem, [place])
    else known.push(place)
  }
  let length = 0
  if (text === '') return { length, places }
  for (const { parts, joined } of wordsOf(text)) {
    if (joined !== undefined) note(joined, length)
    for (const { term } of parts) {
      note(term, length)
      length += 1
    }
  }
  return { length, places }
}

export const NOWHERE: readonly number[] = []

/** Where a phrase begins. */
export function placesOf({ terms }: Phrase, { places }: Reading): readonly number[] {
  const [first = '', ...rest] = terms
  const starts = places.get(first) ?? NOWHERE
  if (rest.length === 0) return starts
  return starts.filter((start) =>
    rest.every((term, at) => places.get(term)?.includes(start + at + 1) === true),
  )
}
