import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  LONG_TESTS,
  RULES_ON_POSTGRES,
  SAMPLED_TESTS,
} from '../../../../scripts/vitest/long-tests.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

it('each test that is left to the proofs is there', () => {
  const named = [...LONG_TESTS, ...SAMPLED_TESTS, ...RULES_ON_POSTGRES]
  expect(named.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})

it('each test of which only a part runs in every check runs whole with the proofs', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  const tests = listed.split('\n').filter((path) => path !== '' && existsSync(`${root}${path}`))
  const uses = tests.filter((path) =>
    /^import.*\bisSample\b/m.test(readFileSync(`${root}${path}`, 'utf8')),
  )
  expect(uses).toEqual(SAMPLED_TESTS)
})
