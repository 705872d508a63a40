import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Choice } from '../../src/surfaces/watch/choice.ts'
import {
  lastLine,
  press,
  START,
  type Step,
  type WatchState,
} from '../../src/surfaces/watch/state.ts'

const ROWS: readonly Choice[] = [
  { kind: 'question', id: 'm1' },
  { kind: 'to_verify', id: '2' },
  { kind: 'held', id: '3' },
  { kind: 'task', id: '4' },
]

function typed(keys: readonly string[], rows = ROWS): Step {
  let step: Step = { state: START }
  for (const key of keys) step = press(step.state, key, rows)
  return step
}

it.each([
  [['j', 'v'], undefined],
  [['j', 'j', 'v'], { name: 'verify', id: '2', text: '' }],
  [['j', 'j', 'r', 'it fails', '\r'], { name: 'reopen', id: '2', text: 'it fails' }],
  [['j', 'j', 'j', 'T', ' slow ', '\r'], { name: 'take_back', id: '3', text: 'slow' }],
  [['j', 'a', 'yes', '\n'], { name: 'answer', id: 'm1', text: 'yes' }],
  [['j', 'a', 'q', 'j', '1', '\r'], { name: 'answer', id: 'm1', text: 'qj1' }],
  [['j', 'a', 'no', '\u001b', '\r'], undefined],
  [['j', 'a', '  ', '\r'], undefined],
  [['k', 'v'], undefined],
  [['v', 'T', 'a', 'o', '\r'], undefined],
])('the keys %j ask for %j', (keys, act) => {
  const { effect } = typed(keys)
  expect(effect?.kind === 'act' ? effect.act : undefined).toEqual(act)
})

it('the selection stays on the screen and goes on from its ends when its row is gone', () => {
  expect(typed(['k']).state.selected).toEqual(ROWS.at(-1))
  expect(typed(Array<string>(10).fill('j')).state.selected).toEqual(ROWS.at(-1))
  const { state } = typed(['j', 'j'])
  expect(press(state, 'j', ROWS.slice(2)).state.selected).toEqual(ROWS[2])
  expect(press(state, 'j', []).state.selected).toBeUndefined()
})

it('Ctrl-C quits from everywhere, q from everywhere but a text that is typed', () => {
  const prompt = typed(['j', 'a', 'text'])
  expect(press(prompt.state, '\u0003', ROWS).effect).toEqual({ kind: 'quit' })
  expect(press(prompt.state, 'q', ROWS).effect).toBeUndefined()
  for (const keys of [[], ['j'], ['j', '\r'], ['4']]) {
    expect(press(typed(keys).state, 'q', ROWS).effect).toEqual({ kind: 'quit' })
  }
})

it('no key leads to an act that its row does not have, or to a control character in a text', () => {
  const key = fc.oneof(
    fc.constantFrom('j', 'k', 'v', 'r', 'T', 'a', 'o', '\r', '\u001b', '\u007f', '1', '4'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), (keys) => {
      let state: WatchState = START
      for (const each of keys) {
        const step = press(state, each, ROWS)
        state = step.state
        const { effect } = step
        if (effect?.kind === 'act') {
          const row = ROWS.find(({ id }) => id === effect.act.id)
          expect(row?.kind).toBe(
            { verify: 'to_verify', reopen: 'to_verify', take_back: 'held', answer: 'question' }[
              effect.act.name
            ],
          )
          expect(effect.act.text).not.toMatch(/\p{Cc}/u)
        }
        expect(lastLine(state)).not.toMatch(/\p{Cc}/u)
      }
    }),
  )
})
