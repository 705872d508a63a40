import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../src/install/format/edit.ts'
import { FORMATS } from '../../../src/install/format/formats.ts'
import { SEED } from '../../seed.ts'

const { toml } = FORMATS

const ENTRY: Edit = {
  kind: 'entry',
  path: ['mcp_servers', 'waymark'],
  value: { command: 'C:\\node.exe', args: ['a b', 'serve'] },
}

const TABLE = `[mcp_servers.waymark]
command = "C:\\\\node.exe"
args = [ "a b", "serve" ]
`

describe('an entry in a TOML file', () => {
  it('is a table at the end, behind an empty line', () => {
    const text = '# my settings\nmodel = "m" # best\n\n[mcp_servers.other]\ncommand = "x"\n'
    const next = toml.put(text, ENTRY)
    expect(next).toBe(`${text}\n${TABLE}`)
    expect(toml.find(next, ENTRY)).toEqual(ENTRY.value)
    expect(toml.take(next, ENTRY)).toBe(text)
  })

  it('keeps CRLF', () => {
    const text = 'model = "m"\r\n'
    const next = toml.put(text, ENTRY)
    expect(next.replaceAll('\r\n', '')).not.toContain('\n')
    expect(toml.take(next, ENTRY)).toBe(text)
  })

  it('is replaced where it stands, with the tables inside it', () => {
    const text = `[mcp_servers.waymark]
command = "old"
[mcp_servers.waymark.env]
A = "1"

# about other
[mcp_servers.other]
command = "x"

[mcp_servers.'waymark'.tools]
b = 2
`
    expect(toml.put(text, ENTRY)).toBe(
      `${TABLE}\n# about other\n[mcp_servers.other]\ncommand = "x"\n\n`,
    )
    expect(toml.take(text, ENTRY)).toBe('\n# about other\n[mcp_servers.other]\ncommand = "x"\n')
  })

  it('is found among strings and lists that look like tables', () => {
    const text = `a = """
[mcp_servers.waymark]
"""
b = [
  # ]
  "[mcp_servers.waymark]",
  ']',
]
c = '''
[x]'''''
[[list]]
d = "\\"[" # ["
`
    const next = toml.put(text, ENTRY)
    expect(next).toBe(`${text}\n${TABLE}`)
    expect(toml.take(next, ENTRY)).toBe(text)
  })

  it.each([
    ['an inline table', 'mcp_servers = { other = { command = "x" } }\n'],
    ['dotted keys', 'mcp_servers.waymark.command = "x"\n'],
    ['a key in a table', '[mcp_servers]\nwaymark = { command = "x" }\n'],
    ['a list', '[[mcp_servers.waymark]]\ncommand = "x"\n'],
  ])('is refused where only a person can change it: %s', (_, text) => {
    expect(() => toml.put(text, ENTRY)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })

  it('a file that cannot be read is refused with the place', () => {
    expect(() => toml.put('a = 1\nb = = 2\n', ENTRY)).toThrow(
      /^is not valid TOML at line 2, column \d: /,
    )
  })

  it('goes without a trace from any valid file', () => {
    const line = fc.constantFrom('', '# c', '[x', '"""', "'''")
    const text = fc.string({ maxLength: 12 }).map((value) => JSON.stringify(value))
    const statement = fc.oneof(
      fc.tuple(fc.integer({ min: 0, max: 99 }), text).map(([at, value]) => `k${at} = ${value}`),
      fc.integer({ min: 0, max: 99 }).map((at) => `[t${at}."a.b"]`),
      fc.integer({ min: 0, max: 9 }).map((at) => `[mcp_servers.s${at}]`),
      fc
        .tuple(fc.integer({ min: 0, max: 99 }), line)
        .map(([at, value]) => `l${at} = '''\n${value}\n'''`),
      fc.constantFrom('', '# comment', '  # [mcp_servers.waymark]'),
    )
    fc.assert(
      fc.property(
        fc.array(statement, { maxLength: 12 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, ending) => {
          const file = lines.map((value) => value + ending).join('')
          fc.pre(isValid(file))
          expect(toml.take(toml.put(file, ENTRY), ENTRY)).toBe(file)
        },
      ),
      { seed: SEED },
    )
  })
})

function isValid(text: string): boolean {
  try {
    toml.depth(text, [])
    return true
  } catch {
    return false
  }
}
