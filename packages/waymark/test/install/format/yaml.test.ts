import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/install/format/edit.ts'
import { FORMATS } from '../../../src/install/format/formats.ts'

const { yaml } = FORMATS

const ENTRY: Edit = {
  kind: 'entry',
  path: ['extensions', 'waymark'],
  value: { type: 'stdio', cmd: 'waymark', args: ['serve'], envs: {} },
}

const LINES = `  waymark:
    type: stdio
    cmd: waymark
    args:
      - serve
    envs: {}
`

describe('an entry in a YAML file', () => {
  it.each([
    ['behind the others', 'A: "x" # first\nextensions: # mine\n  dev:\n    enabled:   true\n', ''],
    ['before what follows', 'extensions:\n  dev:\n    text: |\n      one\n\n', '# next\nZ: 1\n'],
    ['at the end of a file without the key', 'A: 1\n# bye\n', ''],
  ])('goes %s, and without a trace', (_, before, after) => {
    const text = before + after
    const next = yaml.put(text, ENTRY)
    expect(yaml.find(next, ENTRY)).toEqual(ENTRY.value)
    expect(next).toContain(LINES)
    expect(yaml.take(next, ENTRY, yaml.depth(text, ENTRY.path))).toBe(text)
  })

  it.each([
    ['extensions:\n', 'extensions: {}\n'],
    ['extensions: {} # none yet\nZ: 1\n', 'extensions: {} # none yet\nZ: 1\n'],
  ])('takes the place of an empty value: %j', (text, left) => {
    const next = yaml.put(text, ENTRY)
    expect(yaml.find(next, ENTRY)).toEqual(ENTRY.value)
    expect(yaml.take(next, ENTRY)).toBe(left)
  })

  it('keeps CRLF and deeper indentation', () => {
    const text = 'extensions:\r\n    dev:\r\n        a: 1\r\n'
    const next = yaml.put(text, ENTRY)
    expect(next).toContain('\r\n    waymark:\r\n')
    expect(next.replaceAll('\r\n', '')).not.toContain('\n')
    expect(yaml.take(next, ENTRY)).toBe(text)
  })

  it('is replaced where it stands', () => {
    const text = `extensions:\n  waymark:\n    cmd: old\n  dev: 1\n`
    expect(yaml.put(text, ENTRY)).toBe(`extensions:\n${LINES}  dev: 1\n`)
  })

  it('makes a file that was empty', () => {
    expect(yaml.put('', ENTRY)).toBe(`extensions:\n${LINES}`)
    expect(yaml.isBlank(yaml.take(`extensions:\n${LINES}`, ENTRY, 0))).toBe(true)
  })

  it.each([
    ['extensions: { dev: { a: 1 } }\n', 'put each key on its own line'],
    ['extensions: 5\n', 'put each key on its own line'],
    ['- a\n', 'holds something other than keys and values'],
    ['a: [1\n', 'is not valid YAML at line 2, column 1: '],
  ])('is refused in %j', (text, message) => {
    expect(() => yaml.put(text, ENTRY)).toThrow(message)
  })
})
