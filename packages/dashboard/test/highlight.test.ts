import { expect, it } from 'vitest'
import { highlight } from '../src/views/code/highlight.ts'

const TYPESCRIPT = `/**
 * A comment
 * of several lines
 */
export class Shop<T extends object> {
  readonly text = \`one
\${this.total({ a: 1 })} // no comment
two\`

  total({ a }: { a: number }): number {
    return a > 1 ? /[/'"]+/.exec('x')?.length ?? 0 : 'it"s'.length // a comment
  }
}
`
const PYTHON = `def f(a):
    """A text
    of several lines: def g(): return 1
    """
    return [f"{a}", 'x']  # a comment
`
const HTML = `<!-- a comment
of two lines --><div class="a"
  id='b'>
<script>
const a = 1 // in a script
</script>
<style>
p { color: red }
</style>
</div>
`

it.each([
  ['typescript', TYPESCRIPT],
  ['python', PYTHON],
  ['xml', HTML],
  ['css', 'p {\n  color: red;\n}\n\n/* a\nb */\n@media (width > 1px) {\n  a::before {\n  }\n}\n'],
])('source in parts has the same colours as in one go: %s', async (language, text) => {
  const lines = `${text}${text}`.split('\n')
  const whole = await highlight(lines, language, { linesAtOnce: Infinity })
  expect(whole.map((tokens) => tokens.map((token) => token.text).join(''))).toEqual(lines)
  expect(new Set(whole.flat().map(({ kind }) => kind)).size).toBeGreaterThan(2)
  for (const linesAtOnce of [1, 2, 3, 5, 8])
    expect(await highlight(lines, language, { linesAtOnce })).toEqual(whole)
})

it('work that is not wanted any more ends', async () => {
  const lines = Array.from({ length: 100 }, () => 'const a = 1')
  let parts = 0
  const isWanted = (): boolean => (parts += 1) <= 2
  expect(await highlight(lines, 'typescript', { linesAtOnce: 10, isWanted })).toHaveLength(20)
})
