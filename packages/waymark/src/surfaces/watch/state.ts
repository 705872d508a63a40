import { type Choice, isSame, type Kind } from './choice.ts'

const VIEWS = ['overview', 'agents', 'ready', 'events'] as const
export type View = (typeof VIEWS)[number]

/** What can be done to a selected row. */
type ActName = 'verify' | 'reopen' | 'take_back' | 'answer'

export interface Act {
  readonly name: ActName
  readonly id: string
  /** What was typed for it: a reason or an answer. */
  readonly text: string
}

/** The last line while something is typed. */
interface Prompt {
  readonly act: Omit<Act, 'text'>
  readonly text: string
}

export interface WatchState {
  readonly view: View
  readonly selected: Choice | undefined
  /** Shown in place of the view, until the next key. */
  readonly detail: Choice | undefined
  readonly prompt: Prompt | undefined
  /** What the last act did, or why it was refused. */
  readonly notice: string | undefined
}

export type Effect =
  | { readonly kind: 'quit' }
  | { readonly kind: 'open'; readonly choice: Choice }
  | { readonly kind: 'act'; readonly act: Act }

export interface Step {
  readonly state: WatchState
  readonly effect?: Effect
}

export const START: WatchState = {
  view: 'overview',
  selected: undefined,
  detail: undefined,
  prompt: undefined,
  notice: undefined,
}

interface KeyedAct {
  readonly name: ActName
  readonly kinds: readonly Kind[]
  /** The question before it; without one, it is done at once. */
  readonly asks?: string
}

const ACTS: Readonly<Record<string, KeyedAct>> = {
  v: { name: 'verify', kinds: ['to_verify'] },
  r: { name: 'reopen', kinds: ['to_verify'], asks: 'Reopen because' },
  T: { name: 'take_back', kinds: ['held'], asks: 'Take back because' },
  a: { name: 'answer', kinds: ['question'], asks: 'Answer' },
}

/** Ctrl-C arrives as a key while keys are read one by one. */
const QUIT: ReadonlySet<string> = new Set(['q', 'Q', '\u0003'])
const MOVES: Readonly<Record<string, number>> = { j: 1, k: -1, '\u001B[B': 1, '\u001B[A': -1 }
const ENTER: ReadonlySet<string> = new Set(['\r', '\n'])
const ESCAPE = '\u001B'
const ERASE: ReadonlySet<string> = new Set(['\u007F', '\b'])
const LONGEST_TEXT = 1000

/** The state after a key, and what it asks for. `choices` are the rows on the screen, from top to bottom. */
export function press(state: WatchState, key: string, choices: readonly Choice[]): Step {
  if (key === '\u0003') return { state, effect: { kind: 'quit' } }
  if (state.prompt !== undefined) return type(state, state.prompt, key)
  if (QUIT.has(key)) return { state, effect: { kind: 'quit' } }
  const calm: WatchState = { ...state, detail: undefined, notice: undefined }
  const view = VIEWS[Number(key) - 1]
  if (view !== undefined) return { state: { ...calm, view, selected: undefined } }
  const move = MOVES[key]
  if (move !== undefined)
    return { state: { ...calm, selected: next(choices, calm.selected, move) } }
  const { selected } = calm
  if (selected === undefined) return { state: calm }
  if (ENTER.has(key)) return { state: { ...calm, detail: selected } }
  if (key === 'o') return { state: calm, effect: { kind: 'open', choice: selected } }
  return begin(calm, selected, key)
}

function begin(state: WatchState, { kind, id }: Choice, key: string): Step {
  const found = Object.hasOwn(ACTS, key) ? ACTS[key] : undefined
  if (found === undefined || !found.kinds.includes(kind)) return { state }
  const act = { name: found.name, id }
  if (found.asks !== undefined) return { state: { ...state, prompt: { act, text: '' } } }
  return { state, effect: { kind: 'act', act: { ...act, text: '' } } }
}

function type(state: WatchState, { act, text }: Prompt, key: string): Step {
  const done = { ...state, prompt: undefined }
  if (key === ESCAPE) return { state: done }
  if (ENTER.has(key)) {
    const given = text.trim()
    if (given === '') return { state: done }
    return { state: done, effect: { kind: 'act', act: { ...act, text: given } } }
  }
  const next = ERASE.has(key) ? withoutLast(text) : `${text}${printable(key)}`
  return { state: { ...state, prompt: { act, text: next.slice(0, LONGEST_TEXT) } } }
}

function withoutLast(text: string): string {
  const last = [...new Intl.Segmenter().segment(text)].at(-1)
  return text.slice(0, last?.index ?? 0)
}

/** Pasted text arrives as one key. */
function printable(key: string): string {
  return key.startsWith(ESCAPE) ? '' : key.replaceAll(/\p{Cc}+/gu, ' ')
}

/** The row above or below; the first or last one if the selected row has left the screen. */
function next(
  choices: readonly Choice[],
  selected: Choice | undefined,
  move: number,
): Choice | undefined {
  const at = choices.findIndex((choice) => isSame(choice, selected))
  if (at === -1) return move > 0 ? choices[0] : choices.at(-1)
  return choices[Math.min(choices.length - 1, Math.max(0, at + move))]
}

/** The last line: what is asked, what has happened, or what can be done. */
export function lastLine({ prompt, notice, selected, detail }: WatchState): string {
  if (prompt !== undefined) {
    const asks = Object.values(ACTS).find(({ name }) => name === prompt.act.name)?.asks ?? ''
    return `${asks}: ${prompt.text}▏  (Enter, Esc)`
  }
  if (notice !== undefined) return notice
  if (detail !== undefined) return 'any key goes back · q quits'
  const acts = Object.entries(ACTS).filter(
    ([, { kinds }]) => selected && kinds.includes(selected.kind),
  )
  const own = acts.map(([key, { name }]) => `${key} ${name.replace('_', ' ')} · `).join('')
  const chosen = selected === undefined ? '' : `Enter shows it · ${own}o in the page · `
  return `q quit · ${chosen}1 overview 2 agents 3 ready 4 events · j/k select`
}
