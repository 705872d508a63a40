import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSecret, maskSecrets } from '../../../src/secret/secrets.ts'
import { SECRET_RULES } from '../../../src/secret/rules.ts'
import { SEED } from '../../seed.ts'
import { CLEAN, NAMED_SECRETS, PLANTED } from './planted.ts'

const seed = SEED

describe('a planted secret', () => {
  it.each(Object.entries(PLANTED))('is found: %s', (rule, secrets) => {
    const prose = fc.tuple(fc.lorem(), secrets, fc.lorem())
    fc.assert(
      fc.property(prose, ([before, secret, after]) => {
        const text = `${before} ${secret} ${after}`
        const found = findSecret(text)
        expect(found?.rule).toBe(rule)
        expect(found?.offset).toBeGreaterThan(before.length)
        expect(text.slice(found?.offset).startsWith(found?.text ?? '?')).toBe(true)
        expect(maskSecrets(text)).not.toContain(found?.text)
      }),
      { seed, numRuns: 50 },
    )
  })

  it.each([
    ['none', '\n'],
    ['two', '\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,0123456789ABCDEF\r\n\r\n'],
    [
      'some of several words',
      '\nVersion: Tool v2.0.22 (Linux)\nComment: https://example.invalid\n\n',
    ],
    ['some with a colon among the words', '\nComment: made by: hand\n\n'],
    ['some in one line', ' Proc-Type: 4,ENCRYPTED DEK-Info: AES-128-CBC,01 '],
    ['some in a JSON text', '\\nVersion: Tool v2\\n\\n'],
  ])('is found as a key block with headers: %s', (_which, headers) => {
    const text = `-----BEGIN RSA ${'PRIVATE'} KEY-----${headers}${'Ab1/'.repeat(16)}\n`
    expect(findSecret(text)?.rule).toBe('private-key')
  })

  it('has a test for each rule', () => {
    const tested = new Set(Object.keys(PLANTED))
    expect(SECRET_RULES.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([])
  })

  it('without a form of its own is found by its name, nineteen times in twenty', () => {
    const samples = fc.sample(NAMED_SECRETS, { seed, numRuns: 1000 })
    const missed = samples.filter((text) => findSecret(text) === undefined)
    expect(missed.length).toBeLessThanOrEqual(50)
  })
})

it('ten thousand texts with hashes, ids and talk of secrets raise at most ten false alarms [find-secret-ten-thousand]', () => {
  const alarms = fc
    .sample(CLEAN, { seed, numRuns: 10_000 })
    .flatMap((text) => findSecret(text) ?? [])
  expect(alarms.length).toBeLessThanOrEqual(10)
})

describe('the time that it takes', () => {
  it('is bounded in every rule: nothing repeats without a limit, nothing repeated repeats inside', () => {
    for (const { pattern } of SECRET_RULES) {
      const outsideClasses = pattern.source.replaceAll(/\[(?:\\.|[^\]])*\]/g, 'c')
      expect(outsideClasses, pattern.source).not.toMatch(/(?<!\\)[*+]|\{\d+,\}/)
      expect(outsideClasses, pattern.source).not.toMatch(/[}?]\)(?:[*+{]|\?[^:=!<])/)
    }
  })

  it.each([
    ['the beginnings of tokens', 'eyJ-sk-sk-ant-xoxb-ghp_AKIA'],
    ['names without values', 'token secret password api_key '],
    ['names that are values', 'secret:password=token:'],
    ['addresses', '://a:aaaaaa://b:'],
    ['key blocks', `-----BEGIN PRIVATE KEY-----${'A'.repeat(39)} `],
    ['one long word', 'eyJa'],
    ['points and hyphens', 'eyJaaaaaaaaaaaa.eyJaaaaaaaaaaaa.-'],
  ])('stays small for a megabyte of %s', (_, unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(() => maskSecrets(text)).not.toThrow()
  })
})
