import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRepository } from '../../src/git/repository.ts'
import { createTestRepository } from './repository.ts'

it('the guess of what is checked out is what git says', async () => {
  await using test = createTestRepository()
  expect(test.repository.peekHead()).toBeUndefined()
  const one = test.commit('one', { 'a.txt': '1\n' })
  expect(test.repository.peekHead()).toBe(one)
  test.git('pack-refs', '--all')
  expect(test.repository.peekHead()).toBe(one)
  test.git('checkout', '--quiet', '-b', 'a/deeper/branch')
  const two = test.commit('two', { 'a.txt': '2\n' })
  expect(test.repository.peekHead()).toBe(two)
  test.git('checkout', '--quiet', '--detach', one)
  expect(test.repository.peekHead()).toBe(one)
  const worktree = join(test.directory, 'other')
  test.git('worktree', 'add', '--quiet', worktree, 'a/deeper/branch')
  await using other = openRepository(worktree, test.repository.stateDir)
  expect(other.peekHead()).toBe(two)
})

it.each([
  'ref: refs/heads/../../../secret\n',
  'ref: refs/heads/none\n',
  'ref: refs/heads/.invalid\n',
  '--output=x\n',
  '',
])('a head that says %j is not guessed at', async (text) => {
  await using test = createTestRepository()
  test.commit('one', { 'a.txt': '1\n' })
  writeFileSync(join(test.directory, 'secret'), `${'a'.repeat(40)}\n`)
  writeFileSync(join(test.directory, '.git', 'HEAD'), text)
  expect(test.repository.peekHead()).toBeUndefined()
})
