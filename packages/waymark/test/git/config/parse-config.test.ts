import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigSyntaxError, parseConfig } from '../../../src/git/config/parse-config.ts'

type Outcome = 'refused' | readonly (readonly [string, string])[]

function parsed(text: string): Outcome {
  try {
    return parseConfig(text).map(({ key, value }) => [key, toBlanks(value)] as const)
  } catch (error) {
    if (error instanceof ConfigSyntaxError) return 'refused'
    throw error
  }
}

/** What git says of the same file. */
function listed(file: string): Outcome {
  const args = ['config', '--file', file, '--no-includes', '--list', '-z']
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  if (status !== 0) return 'refused'
  return stdout.split('\0').flatMap((entry) => {
    const [key = '', value = 'true'] = entry.split(/\n(.*)/s)
    return entry === '' ? [] : [[key, toBlanks(value)] as const]
  })
}

/** Until 2.45, git made blanks of tabs within a value. */
function toBlanks(value: string): string {
  return value.replaceAll('\t', ' ')
}

const PIECES = [
  [
    '[core]',
    '[remote "origin"]',
    '[Remote "Or\\"i\\\\gin"]',
    '[a.B]',
    '[a-b "c d"]',
    '[a "\u2028"]',
  ],
  ['[a "\r"]', '[a ""]', '[a  "b"]', '[a "b" ]', '[a "b\n"]', '[', ']', '[a b]'],
  ['url', 'Url', 'x-1', '1x', '=', ' = ', '\t=\t', '"', '""', '"a b"', 'a  b', 'a\tb', '\\'],
  ['\\n', '\\t', '\\"', '\\\\', '\\x', '\\\n', '#', ';', ' # c', '\n', '\n', '\n', '\r\n', '\r'],
  [' ', '\t', 'true', 'https://x/y', 'ä', '\u2029', '-', '.', '\f', '\v', '\uFEFF'],
].flat()

const text = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 14 })
  .map((pieces) => pieces.join(''))

/** Mostly whole lines, so that not all of it is refused. */
const lines = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '[core]',
        '[remote "a b"]',
        '[x "\u2028\\"y"]',
        '',
        '# no',
        'bare',
        '  x = 1 ; y',
      ),
      fc.constantFrom(
        'u = "a # b"',
        'v = a\\\n  b',
        'w = "a  "  ',
        'p = \\"q\\"',
        'q="a"b"c"',
        'r=\r',
      ),
      text,
    ),
    { maxLength: 6 },
  )
  .map((all) => all.join('\n'))

describe('a Git configuration', () => {
  it('is read as git reads it, and refused when git refuses it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-config-'))
    const file = join(folder, 'config')
    try {
      fc.assert(
        fc.property(fc.oneof(text, lines), (config) => {
          writeFileSync(file, config)
          expect(parsed(config)).toEqual(listed(file))
        }),
        { numRuns: 200 },
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('keeps the case of what stands between section and name, and of nothing else', () => {
    expect(parseConfig('[REMOTE "Or.I.gin"]\n\tUploadPack = X\n')).toEqual([
      { key: 'remote.Or.I.gin.uploadpack', value: 'X' },
    ])
  })

  it('that is refused names the line that is wrong', () => {
    for (const [line, config] of [
      [1, '['],
      [2, '[core]\nx y'],
      [3, '[core]\n\n"x"'],
      [2, '[core]\nx = "a\ny = 1\n'],
      [1, '[a "b\n"]'],
    ] as const) {
      expect(() => parseConfig(config)).toThrow(expect.objectContaining({ line }) as Error)
    }
  })
})
