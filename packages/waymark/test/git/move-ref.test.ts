import { expect, it } from 'vitest'
import { moveRef } from '../../src/git/refs/move-ref.ts'
import { createTestRepository } from './repository.ts'

it('a symbolic ref that appears at the last moment is replaced, and the branch behind it stays [move-ref-symbolic]', async () => {
  await using test = createTestRepository()
  const [from, to] = [test.commit('one'), test.commit('two')]
  test.git('update-ref', 'refs/heads/other', from)
  test.git('symbolic-ref', 'refs/waymark/log', 'refs/heads/other')
  const move = { ref: 'refs/waymark/log', from, to, why: 'waymark log' }
  expect(await moveRef(test.repository, move)).toBe('moved')
  expect(test.git('rev-parse', 'refs/heads/other').trim()).toBe(from)
  expect(test.git('rev-parse', 'refs/waymark/log').trim()).toBe(to)
})
