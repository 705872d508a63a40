import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { longestTurn } from '../event-loop.ts'
import { projectWith } from './import-project.ts'

const staircase = (step: string): string =>
  Array.from({ length: 1_000 }, (_, at) => `${' '.repeat(at)}${step}`).join('\n')

describe('a YAML file to import', () => {
  it.each([
    ['lists in one line', '- '.repeat(100_000)],
    ['keys in one line', '? '.repeat(100_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['braces', '{a: '.repeat(100_000)],
    ['indented keys', staircase('a:')],
    ['indented lists', staircase('-')],
  ])('with %s nested beyond reason is refused, and the process lives on', async (_, text) => {
    await using project = await projectWith({ 'spec.yaml': text })
    const importing = execute(project.context, importTasks, {
      format: 'lodestar',
      path: 'spec.yaml',
    })
    await expect(importing).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'path: spec.yaml nests too deep',
    })
  })

  it('of more than a megabyte is refused before it is parsed', async () => {
    await using project = await projectWith({ 'spec.yaml': '- a\n'.repeat(300_000) })
    const importing = execute(project.context, importTasks, {
      format: 'lodestar',
      path: 'spec.yaml',
    })
    await expect(importing).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'path: spec.yaml has more than 1048576 characters of YAML; split it',
    })
  })

  it('that takes long to parse does not hold up the event loop', async () => {
    const keys = Array.from({ length: 8_000 }, (_, at) => `k${at}: {<<: 1}`)
    await using project = await projectWith({ 'spec.yaml': keys.join('\n') })
    const importing = execute(project.context, importTasks, {
      format: 'lodestar',
      path: 'spec.yaml',
    })
    expect(await longestTurn(importing)).toBeLessThan(1_500)
    await expect(importing).rejects.toMatchObject({ code: 'invalid_input' })
  })
})
