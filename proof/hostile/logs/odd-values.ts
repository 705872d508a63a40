import type { Random } from '../../../packages/baton/test/support/random.ts'

/** Numbers at the edges of the types that they may end up in. */
export const ODD_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1e21,
  1e308,
  ...[30, 31, 32, 52, 53, 62, 63, 64].flatMap((bits) => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]),
  ...[31, 53, 63].map((bits) => -(2 ** bits)),
  8.64e15,
  8.64e15 + 1,
]

/** What is no number in JSON, or one that no double can hold. */
export const ODD_TOKENS = ['NaN', 'Infinity', '-Infinity', '1e999', '-1e999', '0x10', '01', '1_0']

export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'nul\0inside',
  '\ud800',
  '\udc00\ud800',
  'left\u202Eright\u2066',
  '\uFEFFbom',
  'line\u2028separator\u2029',
  '\r\n\t\v\u0085',
  'e\u0301'.repeat(50),
  `z${'\u0336'.repeat(500)}`,
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
  '\u{1F99C}:cid:root-fields:Map',
  '\u{1F99C}',
  '\u0010\u{1F99C}',
  '\uFFFE\uFFFF',
  '\x1b[2J\x07',
  '{"e":"',
  '","h":"00000000000000000000000000000000"}',
  '../../etc/passwd',
  'x'.repeat(600),
  '漢'.repeat(400),
]

export const ODD_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'status',
  'length',
  '0',
  ...ODD_TEXTS,
]

/** Nesting that no parser with a stack survives, as text: no object could be built so deep. */
export function nested(depth: number, [open, close]: readonly [string, string]): string {
  return open.repeat(depth) + (open.endsWith(':') ? '0' : '') + close.repeat(depth)
}

export const BRACKETS = [
  ['[', ']'],
  ['{"a":', '}'],
  ['[{"a":', '}]'],
] as const

/** Any value that JSON can say, mostly a small one. */
export function oddValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
    case 1:
      return random.pick(ODD_NUMBERS)
    case 2:
    case 3:
      return random.pick(ODD_TEXTS)
    case 4:
      return random.pick([null, true, false])
    case 5:
      return Array.from({ length: random.below(4) }, () => oddValue(random))
    case 6:
      return Object.fromEntries([[random.pick(ODD_KEYS), oddValue(random)]])
    default:
      return 'x'.repeat(2 ** random.below(12))
  }
}
