import { describe, expect, it } from 'vitest'
import { type CodeSetup, setupCode } from './code-setup.ts'

/** Lines of a body that no other one has. */
function steps(word: string, count = 6): string {
  return Array.from(
    { length: count },
    (_, at) => `    ${word}${at} = compute(${word}, ${at});\n`,
  ).join('')
}

/** The lines of a text from the first that has one part to the next that has the other. */
function between(text: string, from: string, to: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.includes(from))
  const end = lines.findIndex((line, at) => at >= start && line.includes(to))
  return `${start + 1}:${end + 1}`
}

/** What was said of these lines of today. */
async function about(test: CodeSetup, path: string, where: { lines?: string; anchor?: string }) {
  for (;;) {
    const { regions, notes = [] } = await test.read({ path, ...where })
    if (notes.some((note) => note.includes('still being traced'))) continue
    return regions
      .filter(({ freshness }) => freshness.state !== 'orphaned')
      .map(({ intent, freshness }) => `${intent}: ${freshness.evidence ?? freshness.state}`)
  }
}

const method = (parameter: string) =>
  `  public int add(${parameter} value) {\n${steps(parameter)}    return the${parameter};\n  }\n`
const pool = (...methods: string[]) => `class Pool {\n${methods.join('\n')}}\n`

describe('of several units of one name', () => {
  it('the one that was meant keeps its reason wherever it goes, and leaves none to the others', async () => {
    await using test = await setupCode()
    const both = pool(method('int'), method('String'))
    test.commit('Add', { 'Pool.java': both })
    await test.annotate({
      summary: 'Integers are added at once',
      regions: [
        {
          file: 'Pool.java',
          anchor: 'Pool.add',
          lines: between(both, 'int value', 'theint'),
          intent: 'At once',
        },
      ],
    })
    const edited = pool(method('String'), method('int').replace('int2 = ', 'int9 = '))
    test.commit('Reorder and edit', { 'Pool.java': edited })
    const lines = (text: string, type: string) => between(text, `${type} value`, `the${type}`)
    expect(await about(test, 'Pool.java', { lines: lines(edited, 'int') })).toHaveLength(1)
    expect(await about(test, 'Pool.java', { lines: lines(edited, 'String') })).toEqual([])
    const without = pool(method('String'))
    test.commit('Remove', { 'Pool.java': without })
    expect(await about(test, 'Pool.java', { anchor: 'Pool.add' })).toEqual([])
  })

  it('the implementation of another trait is none of the annotated one', async () => {
    const imp = (trait: string) =>
      `impl fmt::${trait} for Point {\n  fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {\n${steps(trait)}    write!(f, "{}", self)\n  }\n}\n`
    await using test = await setupCode()
    const both = `${imp('Display')}\n${imp('Debug')}`
    test.commit('Add', { 'point.rs': both })
    await test.annotate({
      summary: 'People read it',
      regions: [
        {
          file: 'point.rs',
          anchor: 'Point::fmt',
          lines: between(both, 'fn fmt', 'write!'),
          intent: 'For people',
        },
      ],
    })
    test.commit('Remove', { 'point.rs': imp('Debug') })
    expect(await about(test, 'point.rs', { anchor: 'Point::fmt' })).toEqual([])
  })
})

describe('a name', () => {
  const parse = (word: string) =>
    `function parse(value) {\n  if (!value) throw new TypeError('value')\n${steps(word)}  return value\n}\n`
  const rest = `function rest(value) {\n${steps('rest')}  return value\n}\n`

  it('that was away for a while comes back without the reasons of its first bearer', async () => {
    await using test = await setupCode()
    test.commit('Add', { 'a.js': `${parse('first')}\n${rest}` })
    await test.annotate({
      summary: 'Why the first one is so',
      regions: [{ file: 'a.js', anchor: 'parse', intent: 'First' }],
    })
    test.commit('Remove', { 'a.js': rest })
    test.commit('Another', { 'a.js': `${rest}\n${parse('second')}` })
    expect(await about(test, 'a.js', { anchor: 'parse' })).toEqual([])
    test.commit('Back', { 'a.js': `${rest}\n${parse('first').replace('first2', 'third2')}` })
    expect(await about(test, 'a.js', { anchor: 'parse' })).toHaveLength(1)
  })

  it('that was in another file meanwhile comes back with its reason', async () => {
    await using test = await setupCode()
    test.commit('Add', { 'a.js': `${parse('first')}\n${rest}`, 'b.js': '// other\n' })
    await test.annotate({
      summary: 'Why it is so',
      regions: [{ file: 'a.js', anchor: 'parse', intent: 'First' }],
    })
    const edited = ['first0', 'first1', 'first2', 'first3'].reduce(
      (text, word) => text.replace(`${word} =`, `${word}Again =`),
      parse('first'),
    )
    test.commit('Move', { 'a.js': rest, 'b.js': `// other\n\n${parse('first')}` })
    test.commit('Edit', { 'b.js': `// other\n\n${edited}` })
    test.commit('Move back', { 'a.js': `${rest}\n${edited}`, 'b.js': '// other\n' })
    expect(await about(test, 'a.js', { anchor: 'parse' })).toEqual(['First: 4 of 8 lines left'])
  })

  it('that went to a wrapper leaves the reason with the code', async () => {
    await using test = await setupCode()
    test.commit('Add', { 'a.js': `${parse('first')}\n${rest}` })
    await test.annotate({
      summary: 'Why it is so',
      regions: [{ file: 'a.js', anchor: 'parse', intent: 'First' }],
    })
    const wrapper = 'function parse(value) {\n  return retry(() => parseOnce(value))\n}\n'
    const commit = test.commit('Wrap', {
      'a.js': `${wrapper}\n${parse('first').replace('parse(', 'parseOnce(')}\n${rest}`,
    })
    expect(await about(test, 'a.js', { anchor: 'parseOnce' })).toEqual([
      `First: split off by ${commit.slice(0, 12)}, 7 of 8 lines left`,
    ])
  })
})

describe('what is taken out of a unit', () => {
  const run = (...parts: string[]) => `export function run(value) {\n${parts.join('')}}\n`
  const finish = (name: string) => `export function ${name}(value) {\n${steps('last')}}\n`

  async function annotated() {
    const test = await setupCode()
    test.commit('Add', { 'a.js': run(steps('first'), steps('last')) })
    await test.annotate({
      summary: 'Why it runs so',
      regions: [{ file: 'a.js', anchor: 'run', intent: 'So' }],
    })
    return test
  }

  it('has its reason as well, with what is left of it', async () => {
    await using test = await annotated()
    const commit = test.commit('Split', {
      'a.js': `${run(steps('first'), '    finish(value)\n')}\n${finish('finish')}`,
    })
    expect(await about(test, 'a.js', { anchor: 'run' })).toHaveLength(1)
    expect(await about(test, 'a.js', { anchor: 'finish' })).toEqual([
      `So: split off by ${commit.slice(0, 12)}, 6 of 13 lines left`,
    ])
    const { regions } = await test.read({ path: 'a.js' })
    expect(regions).toHaveLength(1)
  })

  it('has it in another file too, but not where only a phrase was taken', async () => {
    await using test = await annotated()
    test.commit('Split', {
      'a.js': run(steps('first'), '    finish(value)\n'),
      'b.js': finish('finish'),
      'c.js': `export function other(value) {\n${steps('other')}${steps('last', 2)}}\n`,
    })
    expect(await about(test, 'b.js', { anchor: 'finish' })).toHaveLength(1)
    expect(await about(test, 'c.js', { anchor: 'other' })).toEqual([])
  })
})

describe('a unit whose lines are in several others', () => {
  it('that became two new ones is told of both', async () => {
    const part = (name: string, word: string) =>
      `export function ${name}(value) {\n${steps(word, 4)}${steps(name)}}\n`
    await using test = await setupCode()
    test.commit('Add', {
      'a.js': `export function run(value) {\n${steps('first')}${steps('last')}}\n`,
    })
    await test.annotate({
      summary: 'Why it runs so',
      regions: [{ file: 'a.js', anchor: 'run', intent: 'So' }],
    })
    test.commit('Split and rename', {
      'a.js': `${part('begin', 'first')}\n${part('finish', 'last')}`,
    })
    expect(await about(test, 'a.js', { anchor: 'begin' })).toHaveLength(1)
    expect(await about(test, 'a.js', { anchor: 'finish' })).toHaveLength(1)
  })

  it('is the one of its own kind, where several have lost the same line', async () => {
    const shapes = (type: string, name: string) =>
      `class ${type} {\n  constructor(options) {\n    return makeShape(options)\n  }\n}\n\nfunction ${name}(options) {\n  return makeShape(options)\n}\n`
    await using test = await setupCode()
    test.commit('Add', { 'a.js': shapes('ShapeClass', 'Shape') })
    await test.annotate({
      summary: 'Made elsewhere',
      regions: [{ file: 'a.js', anchor: 'ShapeClass.constructor', intent: 'For instances' }],
    })
    test.commit('Rename both', { 'a.js': shapes('Shape', 'createShape') })
    expect(await about(test, 'a.js', { anchor: 'createShape' })).toEqual([])
    expect(await about(test, 'a.js', { anchor: 'Shape.constructor' })).toHaveLength(1)
  })
})

it('what was said on a branch goes with the unit that another branch has moved', async () => {
  const one = (...more: string[]) => `def one(value):\n${steps('one')}${more.join('')}`
  const rest = `def rest(value):\n${steps('rest')}`
  await using test = await setupCode()
  test.commit('Add', { 'a.py': `${one()}\n\n${rest}` })
  test.git('checkout', '--quiet', '-b', 'topic')
  test.commit('Move', { 'a.py': rest, 'b.py': one() })
  test.git('checkout', '--quiet', '-')
  test.commit('Edit', { 'a.py': `${one('    more(value)\n')}\n\n${rest}` })
  await test.annotate({
    summary: 'More of it is needed',
    regions: [{ file: 'a.py', anchor: 'one', intent: 'More' }],
  })
  test.git('merge', '--quiet', '--no-commit', '--strategy', 'ours', 'topic')
  test.commit('Merge', { 'a.py': rest, 'b.py': one('    more(value)\n') })
  test.commit('Go on', { 'b.py': one('    more(value)\n', '    still(value)\n') })
  expect(await about(test, 'b.py', { anchor: 'one' })).toHaveLength(1)
})
