import type { QueryTerm } from './query.ts'

/** `[4 March, 10:30] Ada: …` or `Ada (4 March): …`: the start of a text that was kept from a conversation. */
const SPEAKER =
  /^\s{0,9}(?:\[[^\]\n]{0,60}\]\s{0,9})?(\p{Lu}[\p{L}\p{N}'-]{0,29}(?: \p{Lu}[\p{L}'.-]{0,29})?)(?: \([^)\n]{0,60}\))?:\s/u

/** The name that a text begins with, as transcripts do; empty without one. */
export function speakerIn(text: string): string {
  return SPEAKER.exec(text)?.[1] ?? ''
}

/** What a query lets one expect of the text that answers it. */
export interface Expectation {
  /** It asks, so that a text which only asks as well is no answer. */
  readonly isAnswer: boolean
  readonly hasTime: boolean
}

const ASKING = new Set('how what when where which who whom whose why'.split(' '))
const ASKING_FIRST = new Set(
  'am are can could did do does had has have is should was were will would'.split(' '),
)
/** `In which town …`, `since when …`: a question word further on asks nothing. */
const MOST_BEFORE = 3

export function expectationOf(wanted: readonly QueryTerm[]): Expectation {
  const words = wanted
    .slice(0, MOST_BEFORE)
    .map(({ spellings, quoted }) => (quoted ? '' : (spellings[0]?.[0] ?? '')))
  return {
    isAnswer: words.some((word) => ASKING.has(word)) || ASKING_FIRST.has(words[0] ?? ''),
    hasTime: words.includes('when'),
  }
}

/** Shares of a text's worth; learnt with those of the ranking. */
const WORTH = { ofQuestion: 0.5, withTime: 1.2 }
const LOOKED_AT = 2_000

/** How well a text is of the kind that the query expects; its words are multiplied by it. */
export function fitOf(body: string, { isAnswer, hasTime }: Expectation): number {
  if (!isAnswer) return 1
  const said = body.slice(0, LOOKED_AT).replace(SPEAKER, '')
  const answer = 1 - (1 - WORTH.ofQuestion) * askedShare(said)
  return hasTime && TIME.test(said) ? answer * WORTH.withTime : answer
}

/** How much of a text is questions, 0 to 1. */
function askedShare(text: string): number {
  if (!text.includes('?')) return 0
  const sentences = text.match(/[^.!?]+[.!?]*/g) ?? []
  const lengthOf = (some: readonly string[]): number =>
    some.reduce((sum, sentence) => sum + sentence.trim().length, 0)
  const asked = sentences.filter((sentence) => sentence.includes('?'))
  return lengthOf(asked) / Math.max(1, lengthOf(sentences))
}

const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|ago|since|until|recently|(?:last|next|this) (?:week|weekend|month|year|night|spring|summer|autumn|fall|winter)|january|february|march|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b/i
