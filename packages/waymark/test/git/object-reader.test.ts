import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestRepository, type TestRepository } from './repository.ts'

afterEach(() => vi.unstubAllEnvs())

const NAMES = ['HEAD', 'HEAD:a b.txt', 'HEAD:none', 'HEAD:', '', 'no such ref', 'HEAD:big.txt']

async function readAll({ repository: { objects } }: TestRepository): Promise<readonly unknown[]> {
  const answers = await Promise.all(
    NAMES.flatMap((name) => [
      objects.info(name),
      objects.read(name),
      objects.readUpTo(1_000, name),
    ]),
  )
  // As texts: comparing large buffers byte by byte takes seconds.
  return answers.map((answer) =>
    typeof answer === 'object' && 'content' in answer
      ? { ...answer, content: answer.content.toString('latin1') }
      : answer,
  )
}

it('many questions at once are answered each by its own object, by one process', async () => {
  await using test = createTestRepository()
  const started = recordStarts(test)
  const commit = test.commit('one', { 'a b.txt': 'text\n', 'big.txt': 'x'.repeat(300_000) })
  const answers = await readAll(test)
  expect(answers).toMatchObject([
    { id: commit, type: 'commit' },
    { id: commit, type: 'commit' },
    { id: commit, type: 'commit' },
    { type: 'blob', size: 5 },
    { content: 'text\n' },
    { content: 'text\n' },
    ...Array.from({ length: 3 }, () => undefined),
    { type: 'tree' },
    { type: 'tree' },
    { type: 'tree' },
    ...Array.from({ length: 6 }, () => undefined),
    { type: 'blob', size: 300_000 },
    { content: 'x'.repeat(300_000) },
    'too_large',
  ])
  expect(started()).toEqual(['--batch-command'])
})

it('a path that leads out of the repository, or has a line break, stands for nothing and disturbs nobody', async () => {
  await using test = createTestRepository()
  const commit = test.commit('one', { 'a.txt': 'text\n' })
  const { objects } = test.repository
  const names = ['HEAD', 'HEAD:../a.txt', ':../../x', 'HEAD:./../../x', 'HEAD:a\nb', 'HEAD:a.txt']
  expect(await objects.infos(names)).toMatchObject([
    { id: commit },
    ...Array.from({ length: 4 }, () => undefined),
    { type: 'blob', size: 5 },
  ])
})

it('a git that has no such process is asked through two', async () => {
  await using test = createTestRepository()
  test.commit('one', { 'a b.txt': 'text\n', 'big.txt': 'x'.repeat(300_000) })
  const answers = await readAll(test)
  const started = recordStarts(test, 'case " $* " in *--batch-command*) exit 129;; esac')
  await using old = createTestRepository()
  old.commit('one', { 'a b.txt': 'text\n', 'big.txt': 'x'.repeat(300_000) })
  expect(await readAll(old)).toEqual(answers)
  expect(started()).toEqual(['--batch', '--batch-check', '--batch-command'])
})

/** A `git` in front of the real one that writes down how it reads objects, and may act like an older one. */
function recordStarts(test: TestRepository, extra = ''): () => readonly string[] {
  const folder = join(test.directory, '.git', 'before')
  mkdirSync(folder)
  const list = join(folder, 'started')
  writeFileSync(list, '')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\nfor last; do :; done\ncase " $* " in *" cat-file "*) echo "$last" >>'${list}';; esac\n${extra}\nexec '${real}' "$@"\n`
  writeFileSync(join(folder, 'git'), script)
  chmodSync(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`)
  return () => readFileSync(list, 'utf8').split('\n').filter(Boolean).toSorted()
}
