/** Something that can be found, in the words that it is found by. */
export interface SearchDocument {
  /** `entity`, `message`, `annotation`, `artifact`: who owns it and knows the rest of it. */
  readonly kind: string
  /** Its id there. */
  readonly ref: string
  readonly type: string
  readonly status: string | null
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly author: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
}

interface Entity {
  readonly id: string
  readonly type: string
  readonly status: string | null
  readonly title: string
  readonly content: string | null
  readonly tags: readonly string[]
  readonly properties: Readonly<Record<string, unknown>>
  readonly createdBy: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** Properties that are no text to be found by: states, ids, formats. */
const UNSEARCHED: ReadonlySet<string> = new Set([
  'status',
  'superseded_by',
  'output_schema',
  'due_date',
  'defer_until',
  'verified_at',
  'verified_completion',
  'hash',
  'holders',
])

/** Properties that an entity is found by, but that say nothing in an excerpt: names, ids, times. */
const UNQUOTED: ReadonlySet<string> = new Set([
  ...UNSEARCHED,
  'assignee',
  'completed_at',
  'completed_by',
  'external_hash',
  'external_ref',
  'key',
  'note_type',
  'task_type',
  'verified_by',
])

/** What a person or a model has written about an entity, for excerpts. */
export function toReadableText({ content, properties }: Pick<Entity, 'content' | 'properties'>) {
  return joinTexts(content, textsIn(properties, UNQUOTED))
}

export function toSearchDocument(entity: Entity): SearchDocument {
  const { id, type, status, title, content, tags, createdBy, createdAt, updatedAt } = entity
  const texts = textsIn(entity.properties, UNSEARCHED)
  return {
    kind: 'entity',
    ref: id,
    type,
    status,
    title,
    body: joinTexts(content, texts),
    tags,
    author: createdBy,
    createdAt,
    updatedAt,
  }
}

function joinTexts(content: string | null, texts: readonly string[]): string {
  return [content ?? '', ...texts].filter((text) => text !== '').join('\n\n')
}

function textsIn(value: unknown, leftOut: ReadonlySet<string>): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, leftOut))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    leftOut.has(name) ? [] : textsIn(inner, leftOut),
  )
}

/** A searchable piece of a text and where it stands there. */
export interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
}

/** A word of code or prose: its parts, and what one gets by writing them together. */
export interface Word {
  readonly parts: readonly Token[]
  /** Undefined when there is only one part. */
  readonly joined?: string
}

/** Longer runs are hashes or encoded data, and a query never needs more of them than this prefix. */
const LONGEST_TERM = 64
const MOST_JOINED_PARTS = 6

// `C++`, `F#`: the two signs that are part of a name rather than punctuation. A name is otherwise runs of letters
// and digits held together by single `_`, `-`, `.` or apostrophes: `task_ready`, `node.js`, `don't`.
const WORD =
  /(?<![\p{L}\p{N}])(?:[a-z]\+\+|[acfj]#)(?![\p{L}\p{N}+#])|[\p{L}\p{M}\p{N}]+(?:[_\-.'’][\p{L}\p{M}\p{N}]+)*/giu
const RUN = /[\p{L}\p{M}\p{N}]+/gu
// Scripts that put no blanks between words: every character counts as a word, and a word typed is a phrase of them.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export function isUnspaced(term: string): boolean {
  return UNSPACED.test(term)
}

const PART =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|(?<!\p{Lu})\p{Lu}{2,}s(?!\p{Ll})|(?<!\p{Lu})\p{Lu}+(?!\p{Ll})[\p{N}\p{M}]*|\p{Lu}?[^\p{Lu}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|\p{Lu}/gu
const SIGNS: Readonly<Record<string, string>> = { '++': 'plusplus', '#': 'sharp' }

/** The words of a text in order. Documents and queries go through here alike, so what was written is found. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: word, index } of text.matchAll(WORD)) yield toWord(word, index)
}

/** The terms of a text, without the places where they stand. */
export interface Terms {
  readonly parts: readonly string[]
  /** Each once. */
  readonly joined: readonly string[]
}

/** What `wordsOf` finds, as an index needs it: most words are plain, and their places are not asked for. */
export function termsOf(text: string): Terms {
  const parts: string[] = []
  const joins = new Set<string>()
  for (const found of text.match(WORD) ?? []) {
    if (PLAIN.test(found)) {
      parts.push(toPlainTerm(found))
      continue
    }
    const word = toWord(found, 0)
    for (const { term } of word.parts) parts.push(term)
    if (word.joined !== undefined) joins.add(word.joined)
  }
  return { parts, joined: [...joins] }
}

export function* tokensOf(text: string): Generator<Token> {
  for (const { parts } of wordsOf(text)) yield* parts
}

/** Lower case without diacritics, and without the differences between ways to write the same character. */
function fold(text: string): string {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.toLowerCase()
  // Composed again at the end: Hangul would otherwise stay in pieces.
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøłđı]/g, (letter) => LETTERS[letter] ?? letter)
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
}

/** Most words: one part, and nothing to fold but the first letter. */
const PLAIN = /^[A-Z]?[a-z0-9]+$/

function toPlainTerm(word: string): string {
  return word.toLowerCase().slice(0, LONGEST_TERM)
}

function toWord(word: string, start: number): Word {
  const end = start + word.length
  if (PLAIN.test(word)) return { parts: [{ term: toPlainTerm(word), start, end }] }
  const sign = word.endsWith('#') ? '#' : word.endsWith('++') ? '++' : undefined
  if (sign !== undefined) {
    const term = fold(word.slice(0, -sign.length)) + (SIGNS[sign] ?? '')
    return { parts: [{ term, start, end }] }
  }
  const parts: Token[] = []
  for (const { 0: run, index } of word.matchAll(RUN)) {
    for (const piece of piecesOf(run)) {
      const from = start + index + piece.index
      const term = fold(piece.text).slice(0, LONGEST_TERM)
      if (term !== '') parts.push({ term, start: from, end: from + piece.text.length })
    }
  }
  const joins = parts.length > 1 && parts.length <= MOST_JOINED_PARTS && !UNSPACED.test(word)
  if (!joins) return { parts }
  const joined = parts.map(({ term }) => term).join('')
  return { parts, joined: joined.slice(0, LONGEST_TERM) }
}

/** `getHTTPResponse2` → get, HTTP, Response2. A word in one case stays whole. */
function piecesOf(run: string): readonly { readonly text: string; readonly index: number }[] {
  if (/^[\p{Ll}\p{N}]*$|^\p{Lu}[\p{Ll}\p{N}]*$|^[\p{Lu}\p{N}]+$/u.test(run)) {
    return [{ text: run, index: 0 }]
  }
  return [...run.matchAll(PART)].map(({ 0: text, index }) => ({ text, index }))
}

/** No term of a text contains it, so no text can pass for a facet or for a title. */
const FACET_MARK = '§'
const TITLE_MARK = '¶'

/** A term that only titles have. */
export function titleTerm(term: string): string {
  return TITLE_MARK + term
}

/** An unambiguous index term for a filter value; hex, so that it may contain any character. */
export function facet(name: 'type' | 'status' | 'tag', value: string): string {
  return FACET_MARK + name + Buffer.from(fold(value.trim()), 'utf8').toString('hex')
}
