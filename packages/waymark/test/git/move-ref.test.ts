import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { moveRef } from '../../src/git/refs/move-ref.ts'
import { readRef } from '../../src/git/refs/ref-state.ts'
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

it('a symbolic ref is told from others also where Git is asked, because refs are in tables', async () => {
  await using test = createTestRepository()
  const id = test.commit('one')
  test.git('update-ref', 'refs/heads/other', id)
  test.git('symbolic-ref', 'refs/waymark/log', 'refs/heads/other')
  // Where there is this folder no files are looked at.
  mkdirSync(join(test.directory, '.git', 'reftable'))
  const read = (ref: string) => readRef(test.repository, ref)
  expect(await read('refs/waymark/log')).toEqual({ kind: 'symbolic', target: 'refs/heads/other' })
  expect(await read('refs/heads/other')).toEqual({ kind: 'commit', id })
  expect(await read('refs/waymark/none')).toEqual({ kind: 'absent' })
})
