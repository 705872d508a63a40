import { describe, expect, it } from 'vitest'
import type { Edit, Json } from '../../../src/install/format/edit.ts'
import { FORMATS } from '../../../src/install/format/formats.ts'

const { json } = FORMATS

const ENTRY: Edit = {
  kind: 'entry',
  path: ['mcpServers', 'waymark'],
  value: { command: 'waymark', args: ['serve'] },
}

const HOOK: Edit = { kind: 'item', path: ['hooks', 'SessionStart'], value: { command: 'prime' } }

/** The text after an edit, which must go without a trace when it is taken out again. */
function roundTrip(text: string, edit: Edit = ENTRY): string {
  const next = json.put(text, edit)
  expect(json.find(next, edit)).toEqual(edit.value)
  expect(json.take(next, edit, json.depth(text, edit.path))).toBe(text)
  return next
}

describe('an entry in a JSON file', () => {
  it('goes behind the others, in their indentation', () => {
    expect(
      roundTrip(
        '{\n    "mcpServers": {\n        "a": {\n            "command": "a"\n        }\n    }\n}\n',
      ),
    ).toBe(`{
    "mcpServers": {
        "a": {
            "command": "a"
        },
        "waymark": {
            "command": "waymark",
            "args": [
                "serve"
            ]
        }
    }
}
`)
  })

  it('leaves every comment with its owner', () => {
    const text = `// top
{
  // before
  "mcpServers": {
    "a": { "command": "a" } // about a
    // below a
  } /* end */
}
// bottom`
    expect(roundTrip(text)).toBe(`// top
{
  // before
  "mcpServers": {
    "a": { "command": "a" }, // about a
    // below a
    "waymark": {
      "command": "waymark",
      "args": [
        "serve"
      ]
    }
  } /* end */
}
// bottom`)
  })

  it.each([
    [
      'tight',
      '{"mcpServers":{"a":{}}}',
      '{"mcpServers":{"a":{},"waymark":{"command":"waymark","args":["serve"]}}}',
    ],
    [
      'spaced',
      '{ "mcpServers": {} }',
      '{ "mcpServers": {"waymark": {"command": "waymark", "args": ["serve"]}} }',
    ],
    [
      'without the key',
      '{"a":1}',
      '{"a":1,"mcpServers":{"waymark":{"command":"waymark","args":["serve"]}}}',
    ],
  ])('stays on the line of a file that has one line: %s', (_, text, expected) => {
    expect(roundTrip(text)).toBe(expected)
  })

  it.each([
    ['a trailing comma', '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n'],
    ['tabs', '{\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}\n'],
    ['CRLF', '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n'],
    ['no final line break', '{\n  "a": 1\n}'],
    ['a closing bracket behind the last member', '{ "a": 1,\n  "b": 2 }'],
    ['an empty object', '{\n  "mcpServers": {}\n}\n'],
    ['nothing but an empty object', '{}'],
    [
      'keys that mean something to JavaScript',
      '{\n  "__proto__": { "x": 1 },\n  "constructor": 2\n}\n',
    ],
  ])('goes without a trace from a file with %s', (_, text) => {
    const next = roundTrip(text)
    if (text.includes('\r\n')) expect(next.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it.each([
    ['', '{\n  "mcpServers": {\n'],
    ['// only a comment', '// only a comment\n{\n  "mcpServers": {\n'],
  ])('makes the document in a file that holds %j', (text, beginning) => {
    const next = json.put(text, ENTRY)
    expect(next.startsWith(beginning)).toBe(true)
    expect(json.isBlank(json.take(next, ENTRY, 0)) || text !== '').toBe(true)
  })

  it('replaces only its own value', () => {
    const text =
      '{\n  "mcpServers": {\n    "waymark": {"command": "old"}, // ours\n    "b": {}\n  }\n}'
    expect(json.put(text, ENTRY)).toBe(
      text.replace('{"command": "old"}', '{"command": "waymark", "args": ["serve"]}'),
    )
  })

  it.each([
    [
      '{\n  "mcpServers": {\n    // note\n    "waymark": {}, "b": 1\n  }\n}',
      '{\n  "mcpServers": {\n    // note\n    "b": 1\n  }\n}',
    ],
    ['{"mcpServers": {"waymark": {}, "b": 1}}', '{"mcpServers": {"b": 1}}'],
    [
      '{"mcpServers": {"a": 1, /* x */ "waymark": {} /* y */, "b": 1}}',
      '{"mcpServers": {"a": 1, /* x */ /* y */ "b": 1}}',
    ],
    [
      '{\n  "mcpServers": {\n    "a": 1, // a\n    "waymark": {} // w\n  }\n}',
      '{\n  "mcpServers": {\n    "a": 1 // a\n    // w\n  }\n}',
    ],
  ])('is taken out from between others: %j', (text, expected) => {
    expect(json.take(text, ENTRY)).toBe(expected)
  })
})

describe('an item of a list in a JSON file', () => {
  it.each([
    ['{}'],
    ['{\n  "hooks": {\n    "SessionStart": [\n      { "command": "x" }\n    ]\n  }\n}\n'],
    ['{ "hooks": { "SessionStart": [], "Stop": [1, 2] } }'],
    ['{\n  "hooks": {\n    "SessionStart": [\n      1, // one\n      2,\n    ],\n  },\n}'],
  ])('goes without a trace from %j', (text) => {
    const next = roundTrip(text, HOOK)
    expect(json.put(next, HOOK)).toBe(next)
  })

  it('is refused where there is no list', () => {
    expect(() => json.put('{"hooks": {"SessionStart": {}}}', HOOK)).toThrow(
      'has something other than a list at "hooks.SessionStart"',
    )
  })
})

describe('a default', () => {
  const version: Edit = { kind: 'default', path: ['version'], value: 1 }

  it('is added where there is none and never replaces one', () => {
    expect(json.put('{"a":1}', version)).toBe('{"a":1,"version":1}')
    expect(json.put('{"version":2}', version)).toBe('{"version":2}')
  })
})

describe('a JSON file that cannot be read', () => {
  it.each([
    ['{"a": 1', 'is not valid JSON at line 1, column 8: close brace expected'],
    ['{\n  "a": oops\n}', 'is not valid JSON at line 2, column 8: invalid symbol'],
    ['[]', 'holds something other than a JSON object'],
    ['{"mcpServers": 5}', 'has something other than an object at "mcpServers"'],
    ['{"mcpServers": {"waymark": 1, "waymark": 2}}', 'has the key "waymark" twice in one object'],
  ])('is refused: %s', (text, message) => {
    expect(() => json.put(text, ENTRY)).toThrow(message)
    expect(() => json.put(text, ENTRY)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})

it.each([1001, 4000, 100_000])(
  'a JSON file that is nested too deeply is refused: %i levels',
  (levels) => {
    const text = `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`
    for (const name of ['put', 'take', 'find', 'rest'] as const)
      expect(() => json[name](text, ENTRY)).toThrow('is nested too deeply')
  },
)

it('values of every kind are written as JSON writes them', () => {
  const value: Json = { text: 'a "b"\n', list: [1, true, null, []], empty: {} }
  for (const text of ['{"x":1}', '{\n  "x": 1\n}']) {
    const next = json.put(text, { ...ENTRY, value })
    expect(JSON.parse(next)).toEqual({ x: 1, mcpServers: { waymark: value } })
  }
})
