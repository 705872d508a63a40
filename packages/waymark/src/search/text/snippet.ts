import type { Phrase } from './plan.ts'
import { type Token, tokensOf } from './document.ts'
import { stemOf } from './stem.ts'

const OPEN = '<mark>'
const CLOSE = '</mark>'

/** How much of a long text is looked through: a snippet is a help, not the answer. */
const LOOKED_AT = 32 * 1024
const WINDOWS_TRIED = 200
const SNIPPET_TOKENS = 24
const LONGEST_SNIPPET = 240
/** How many tokens are shown before the first hit, unless its sentence begins nearby. */
const LEAD = 4
const SENTENCE_LEAD = 12
const SENTENCE_END = /[.!?…:;]["')\]]?\s|\n|[。！？]/

interface Hit {
  /** Number of its first token. */
  readonly at: number
  readonly start: number
  readonly end: number
  readonly clause: number
}

interface StemmedToken extends Token {
  readonly stem: string
}

function toStemmed(token: Token): StemmedToken {
  return { ...token, stem: stemOf(token.term) }
}

/** The part of `text` where most of what was looked for stands together, on one line, hits in `<mark>`. */
export function toSnippet(text: string, clauses: readonly (readonly Phrase[])[]): string {
  const tokens = Array.from(tokensOf(text.slice(0, LOOKED_AT)), toStemmed)
  const hits = hitsIn(tokens, clauses)
  const first = startOfWindow(text, tokens, hits)
  const start = first === 0 ? 0 : (tokens[first]?.start ?? 0)
  const end = endOfWindow(text, tokens.slice(first, first + SNIPPET_TOKENS), start)
  const inside = hits.filter((hit) => hit.start >= start && hit.end <= end)
  const line = mark(text.slice(0, end), inside, start).replace(/\s+/g, ' ').trim()
  return `${start > 0 ? '…' : ''}${line}${end < text.trimEnd().length ? '…' : ''}`
}

/** The first token to show: that of the sentence with the first hit, where no other hit falls out of the window for it. */
function startOfWindow(
  text: string,
  tokens: readonly StemmedToken[],
  hits: readonly Hit[],
): number {
  const best = bestWindow(tokens, hits)
  const inside = hits.filter(({ at }) => at >= best && at < best + SNIPPET_TOKENS - LEAD)
  const last = inside.at(-1)?.at ?? best
  const earliest = Math.max(0, best - SENTENCE_LEAD, last - SNIPPET_TOKENS + 1)
  for (let at = best; at > earliest; at -= 1) {
    const gap = text.slice(tokens[at - 1]?.end, tokens[at]?.start)
    if (SENTENCE_END.test(gap)) return at
  }
  return earliest === 0 ? 0 : Math.max(0, best - LEAD)
}

function endOfWindow(text: string, window: readonly StemmedToken[], start: number): number {
  const limit = start + LONGEST_SNIPPET
  if (window.length < SNIPPET_TOKENS && text.length <= limit) return text.length
  const last = window.findLast(({ end }) => end <= limit)
  // A single word may be longer than the snippet; it is cut, but never through the middle of a character.
  return last?.end ?? limit - (/[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? 1 : 0)
}

/** Where the phrases stand, in order; each token counts once. */
function hitsIn(
  tokens: readonly StemmedToken[],
  clauses: readonly (readonly Phrase[])[],
): readonly Hit[] {
  const phrasesByStart = byStart(clauses)
  const hits: Hit[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (token === undefined) continue
    // The stem of an irregular form may begin with another letter than the form.
    for (const start of new Set([token.stem.charAt(0), token.term.charAt(0)])) {
      const found = phrasesByStart
        .get(start)
        ?.map(({ clause, phrase }) => ({ clause, length: lengthAt(tokens, at, phrase) }))
        .find(({ length }) => length > 0)
      const end = tokens[at + (found?.length ?? 0) - 1]?.end
      if (found === undefined || end === undefined) continue
      hits.push({ at, start: token.start, end, clause: found.clause })
      at += found.length - 1
      break
    }
  }
  return hits
}

interface Sought {
  readonly clause: number
  readonly phrase: Phrase
}

/** The phrases by their first letter, longer ones first. */
function byStart(clauses: readonly (readonly Phrase[])[]): ReadonlyMap<string, readonly Sought[]> {
  const byLetter = new Map<string, Sought[]>()
  for (const [clause, phrases] of clauses.entries()) {
    for (const phrase of phrases) {
      const letter = phrase.terms[0]?.charAt(0) ?? ''
      byLetter.set(letter, [...(byLetter.get(letter) ?? []), { clause, phrase }])
    }
  }
  for (const sought of byLetter.values()) {
    sought.sort((a, b) => b.phrase.terms.length - a.phrase.terms.length)
  }
  return byLetter
}

/** How many tokens from `at` on spell the phrase, 0 if they do not. A phrase of one term may be written in parts. */
function lengthAt(
  tokens: readonly StemmedToken[],
  at: number,
  { terms, prefix = false }: Phrase,
): number {
  const [only = '', ...more] = terms
  if (more.length === 0) return lengthOfJoined(tokens, at, only, prefix)
  const last = terms.length - 1
  const fits = terms.every((term, index) => {
    const found = tokens[at + index]?.stem ?? ''
    return prefix && index === last ? found.startsWith(term) : found === term
  })
  return fits ? terms.length : 0
}

function lengthOfJoined(
  tokens: readonly StemmedToken[],
  at: number,
  term: string,
  prefix: boolean,
): number {
  if (tokens[at]?.stem === term) return 1
  let joined = ''
  for (let length = 1; at + length <= tokens.length; length += 1) {
    joined += tokens[at + length - 1]?.term ?? ''
    if (prefix && joined.startsWith(term)) return length
    if (length > 1 && stemOf(joined) === term) return length
    if (!term.startsWith(joined)) return 0
  }
  return 0
}

/** The first token of the window that has the most different clauses, then the most hits, then stands first. */
function bestWindow(tokens: readonly StemmedToken[], hits: readonly Hit[]): number {
  let best = { first: 0, value: 0 }
  for (const [index, { at }] of hits.slice(0, WINDOWS_TRIED).entries()) {
    const inside = hits
      .slice(index, index + SNIPPET_TOKENS)
      .filter((hit) => hit.at < at + SNIPPET_TOKENS - LEAD)
    const value = new Set(inside.map(({ clause }) => clause)).size * 1000 + inside.length
    if (value > best.value) best = { first: at, value }
  }
  return Math.min(best.first, Math.max(0, tokens.length - SNIPPET_TOKENS + LEAD))
}

function mark(text: string, hits: readonly Hit[], from: number): string {
  let marked = ''
  let at = from
  for (const { start, end } of hits) {
    marked += text.slice(at, start) + OPEN + text.slice(start, end) + CLOSE
    at = end
  }
  return marked + text.slice(at)
}
