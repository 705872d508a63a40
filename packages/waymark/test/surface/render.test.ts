import { expect, it } from 'vitest'
import { initialiseProject } from '../../src/core/project/project.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createRepository } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

it('answers in words, also where only few look', async () => {
  await using repository = createRepository()
  await initialiseProject(repository.directory)
  const say = async (line: string) => {
    const terminal = createTestTerminal(repository.directory)
    await runCli(line.split(' '), terminal)
    return terminal.output.out
  }
  await say('task add Floor --acceptance-criteria level')
  await say('add note Wood')
  expect(await say('task context 1')).toBe('#1 Floor\n\n- level\n')
  expect(await say('graph list')).toMatch(/Floor\ttask[^]*Wood\tnote[^]*\n0 relations\n$/)
  expect(await say('search context wood')).toMatch(/^#2\tWood\tnote/)
  expect(await say('task edit --force --edit {"action":"complete","id":"1"}')).toBe(
    'complete: #1 Floor\n',
  )
  expect(await say('task delete 1 --force')).toBe('deleted task #1 Floor\n')
  expect(await say('artifact stats')).toBe('0 artifacts, 0 contents (0 bytes)\n')
  expect(await say('sync hook')).toBe(
    'hooks that exchange knowledge: post-merge, pre-push (with origin)\n',
  )
  expect(await say('sync unhook')).toBe('no hooks exchange knowledge\n')
  expect(await say('delete 2 --force')).toBe('deleted note #2 Wood\n')
  expect(await say('entity purge 2 --force')).toBe('#2 is gone for good, with all of its history\n')
  expect(await say('project ping')).toBe('pong\n')
})
