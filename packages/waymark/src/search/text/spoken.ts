import type { QueryTerm } from './query.ts'

/** `[4 March, 10:30] Ada: …`, `2026-03-04 10:30 Ada: …` or `Ada (4 March): …`: how a text that was kept from a conversation begins. */
const SPEAKER =
  /^\s{0,9}(?:[[(][^\])\n]{0,60}[\])][\s,:-]{0,9}|\d[\d\s.,:/TZ+-]{3,30}\s)?(\p{Lu}[\p{L}\p{N}'-]{0,29}(?: \p{Lu}[\p{L}'.-]{0,29})?)(?: [([][^)\]\n]{0,60}[)\]]|,[^:\n]{0,40}\d{4})?(?: said| wrote)?:\s/u

/** `Ada, 4 March 2026` or `Ada (10:30)`: a title that only says who spoke, and when. */
const TITLED =
  /^(\p{Lu}[\p{L}\p{N}'-]{0,29}(?: \p{Lu}[\p{L}'.-]{0,29})?)(?:[,:]| \(| -| on| at)[^\n]{0,40}(?:\b(?:19|20)\d\d\b|\d:\d\d)/u

/** `Cause: …`: words that name a part of a report rather than a person. */
const LABELS = new Set(
  `action actual also answer attention background bug careful cause caution changed consequence consequences context
  conclusion decision details done effect error example expected fact facts fix fixed goal hint idea impact important
  info issue lesson limitation log measured next note notes option options outcome plan problem proposal question
  rationale reason remedy result results risk rule solution source state status step steps summary symptom symptoms
  task tip todo update warning why workaround`.split(/\s+/),
)

/** Who said a text, where it begins as transcripts do or its title says so; empty where neither does. */
export function speakerOf({ title, body }: { readonly title: string; readonly body: string }) {
  const name = SPEAKER.exec(body)?.[1] ?? TITLED.exec(title)?.[1] ?? ''
  return LABELS.has(name.toLowerCase()) ? '' : name
}

/** What a query lets one expect of the text that answers it. */
export interface Expectation {
  /** It asks, so that a text which only asks as well is no answer. */
  readonly isAnswer: boolean
  /** What the answer will contain: a time, a number, a place. */
  readonly sign: RegExp | undefined
}

const ASKING = new Set('how what when where which who whom whose why'.split(' '))
const ASKING_FIRST = new Set(
  'am are can could did do does had has have is should was were will would'.split(' '),
)
/** `In which town …`, `since when …`: a question word further on asks nothing. */
const MOST_BEFORE = 3
const LOOKED_AT_WORDS = MOST_BEFORE + 2

export function expectationOf(wanted: readonly QueryTerm[]): Expectation {
  const words = wanted
    .slice(0, LOOKED_AT_WORDS)
    .map(({ spellings, quoted }) => (quoted ? '' : (spellings[0]?.[0] ?? '')))
  const isAnswer =
    words.slice(0, MOST_BEFORE).some((word) => ASKING.has(word)) || ASKING_FIRST.has(words[0] ?? '')
  const start = words.join(' ')
  return { isAnswer, sign: SIGNS.find(([question]) => question.test(start))?.[1] }
}

const TIME =
  /\b(?:yesterday|today|tonight|tomorrow|ago|since|until|recently|(?:last|next|this) (?:week|weekend|month|year|night|spring|summer|autumn|fall|winter)|january|february|march|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b/i
const DURATION = /\b(?:second|minute|hour|day|week|month|year|decade)s?\b|\bsince\b/i
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|dozen|couple|once|twice|half)\b/i
const PLACE = /\b(?:in|at|to|near|from|on|behind|outside|around) \p{L}/u

/** Beginnings of questions, and what stands in an answer to them. */
const SIGNS: readonly (readonly [question: RegExp, sign: RegExp])[] = [
  [/^(?:\S* ){0,2}when\b/, TIME],
  [/^(?:\S* ){0,2}how long\b/, DURATION],
  [/^(?:\S* ){0,2}how (?:many|much|old|often|tall|far|big|large|heavy)\b/, NUMBER],
  [/^(?:\S* ){0,2}(?:what|which) (?:age|number|size|price|percentage)\b/, NUMBER],
  [/^(?:\S* ){0,2}where\b/, PLACE],
  [/^(?:\S* ){0,2}(?:what|which) (?:city|country|town|place|state)\b/, PLACE],
]

/** Shares of a text's worth; learnt with those of the ranking. */
const WORTH = { ofQuestion: 0.5, withSign: 1.35 }
const LOOKED_AT = 2_000

/** How well a text is of the kind that the query expects; its words are multiplied by it. */
export function fitOf(body: string, { isAnswer, sign }: Expectation): number {
  if (!isAnswer) return 1
  const said = body.slice(0, LOOKED_AT).replace(SPEAKER, '')
  const answer = 1 - (1 - WORTH.ofQuestion) * askedShare(said)
  return sign?.test(said) === true ? answer * WORTH.withSign : answer
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
