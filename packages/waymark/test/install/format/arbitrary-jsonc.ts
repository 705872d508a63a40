import fc from 'fast-check'

const KEYS = ['a', 'b', 'mcpServers', 'other', 'key with "quotes"', '__proto__', 'é', ''] as const

const space = fc.constantFrom('', ' ', '  ', '\t', '\n', '\n  ', '\n\n    ')
const comment = fc.constantFrom(
  '',
  '',
  '',
  '/* note */',
  '// note\n',
  '/* two\n lines */',
  '// "waymark": {},\n',
)

/** What may stand between two tokens. */
const trivia = fc.tuple(space, comment, space).map((parts) => parts.join(''))

const scalar = fc
  .oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 8 }))
  .map((value) => JSON.stringify(value))

const separators = fc.record({
  trivia: fc.array(trivia, { minLength: 9, maxLength: 9 }),
  hasTrailingComma: fc.boolean(),
})

interface Nested {
  readonly value: string
  readonly object: string
}

const { value: anyValue } = fc.letrec<Nested>((tie: fc.LetrecTypedTie<Nested>) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, scalar, tie('object'), list(tie('value'))),
  object: object(tie('value')),
}))

/** A JSON object as a person or a program may have written it: any layout, comments, trailing commas. */
export const jsoncDocument: fc.Arbitrary<string> = fc
  .tuple(trivia, object(anyValue, 1), trivia, fc.boolean())
  .map(([before, body, after, isWindows]) => {
    const text = before + body + after
    return isWindows ? text.replaceAll('\n', '\r\n') : text
  })

function object(value: fc.Arbitrary<string>, minLength = 0): fc.Arbitrary<string> {
  const member = fc
    .tuple(fc.constantFrom(...KEYS), trivia, trivia, value)
    .map(
      ([key, before, after, text]) =>
        [key, `${JSON.stringify(key)}${before}:${after}${text}`] as const,
    )
  return fc
    .tuple(
      fc.uniqueArray(member, { minLength, maxLength: 4, selector: ([key]) => key }),
      separators,
    )
    .map(
      ([members, rest]) =>
        `{${join(
          members.map(([, text]) => text),
          rest,
        )}}`,
    )
}

function list(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(value, { maxLength: 3 }), separators)
    .map(([items, rest]) => `[${join(items, rest)}]`)
}

type Separators = typeof separators extends fc.Arbitrary<infer Value> ? Value : never

function join(members: readonly string[], { trivia: gaps, hasTrailingComma }: Separators): string {
  const parts = members.map((member, at) => {
    const comma = at < members.length - 1 || hasTrailingComma ? ',' : ''
    return `${gaps[2 * at] ?? ''}${member}${gaps[2 * at + 1] ?? ''}${comma}`
  })
  return parts.join('') + (gaps[8] ?? '')
}
