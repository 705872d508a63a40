import { violation } from '../../core/input/parse.ts'
import { wordsOf } from './document.ts'

/** One thing to look for. */
export interface QueryTerm {
  /** Sequences of terms, any of which will do; the first one is what was typed. */
  readonly spellings: readonly (readonly string[])[]
  /** Typed in quotes: looked for as it is, without its other forms. */
  readonly quoted: boolean
}

export interface SearchFilter {
  readonly kinds?: readonly string[] | undefined
  readonly type?: string | undefined
  /** Any of them. */
  readonly statuses?: readonly string[] | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  /** Milliseconds since 1970, both inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
}

export interface SearchQuery {
  readonly wanted: readonly QueryTerm[]
  readonly filter: SearchFilter
  /** The query without its filters. */
  readonly text: string
}

/** More words than this say no more about what is meant, and cost time. */
const MOST_WORDS = 32

const PIECE = /"([^"]*)"?|([a-z]{1,20}):("[^"]*"?|\S+)|\S+/gi

/** Reads text in which nothing has a special meaning but quotes. */
export function parseWords(text: string): readonly QueryTerm[] {
  return toWanted([...text.matchAll(/"([^"]*)"?|[^"]+/g)].map(([all, quoted]) => [all, quoted]))
}

/** Reads words and quoted phrases, and `type:`, `status:`, `tag:` and `created:` as filters. */
export function parseSearchQuery(text: string, field = 'query'): SearchQuery {
  const pieces: [string, string | undefined][] = []
  const tags: string[] = []
  const statuses: string[] = []
  let filter: SearchFilter = {}
  for (const [all, quoted, name = '', value = ''] of text.matchAll(PIECE)) {
    const plain = value.replaceAll('"', '')
    switch (plain === '' ? '' : name.toLowerCase()) {
      case 'type':
        filter = { ...filter, type: plain.toLowerCase() }
        break
      case 'status':
        statuses.push(toStatus(plain))
        break
      case 'tag':
        tags.push(plain)
        break
      case 'created':
        filter = { ...filter, ...parseMoments(plain, field) }
        break
      default:
        pieces.push([all, quoted])
    }
  }
  return {
    wanted: toWanted(pieces),
    filter: {
      ...filter,
      ...(statuses.length > 0 && { statuses }),
      ...(tags.length > 0 && { tags }),
    },
    text: pieces.map(([all, quoted]) => quoted ?? all).join(' '),
  }
}

function toWanted(
  pieces: readonly (readonly [string, string | undefined])[],
): readonly QueryTerm[] {
  const wanted = pieces.flatMap(([all, quoted]) =>
    quoted === undefined ? toWords(all) : toQuoted(quoted),
  )
  // A word that is typed twice is wanted once.
  const distinct = new Map(wanted.map((one) => [String(one.spellings[0]), one]))
  return [...distinct.values()].slice(0, MOST_WORDS)
}

function toWords(text: string): QueryTerm[] {
  return [...wordsOf(text)].map(({ parts, joined }) => {
    const typed = parts.map(({ term }) => term)
    return { spellings: joined === undefined ? [typed] : [typed, [joined]], quoted: false }
  })
}

function toQuoted(text: string): QueryTerm[] {
  const terms = [...wordsOf(text)].flatMap(({ parts }) => parts.map(({ term }) => term))
  return terms.length === 0 ? [] : [{ spellings: [terms], quoted: true }]
}

const DAY_MS = 86_400_000
const MOMENT = /^(>=?|<=?)?(\d{4}-\d{2}-\d{2})(T.+)?$/

export function toStatus(word: string): string {
  return word.toLowerCase().replaceAll('-', '_')
}

/** The time span of `>2026-11-15`, `<2026-11-15T10:00:00Z` or `2026-11-15`. */
export function parseMoments(value: string, field: string): SearchFilter {
  const [, sign = '', day = '', clock = ''] = MOMENT.exec(value) ?? []
  const start = Date.parse(clock === '' ? `${day}T00:00:00Z` : day + clock)
  if (day === '' || Number.isNaN(start)) {
    throw violation(
      field,
      'bad_format',
      field === 'query'
        ? `created:${value.slice(0, 40)} must look like created:>2026-11-15; put it in quotes to search for the text`
        : 'must be a date like 2026-11-15, or a time like 2026-11-15T10:00:00Z',
      { value: value.slice(0, 100), format: 'date' },
    )
  }
  // A date means its whole day, whichever way it is compared.
  const end = clock === '' ? start + DAY_MS - 1 : start
  if (sign.startsWith('>')) return { createdAfter: start }
  if (sign.startsWith('<')) return { createdBefore: end }
  return { createdAfter: start, createdBefore: end }
}
