import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { createCodeSource } from '../../../src/git/code-source.ts'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { setupCode } from './code-setup.ts'

/** So many that parsing them takes longer than an answer may wait. */
const FUNCTIONS = 6_000

const lineOf = (at: number) => `  return [input.first, input.second, ${at}].map(String).join('-')`
const TEXT = Array.from(
  { length: FUNCTIONS },
  (_, at) => `export function step${at}(input: Input): string {\n${lineOf(at)}\n}\n`,
).join('\n')

it('a server answers about a long file before it is parsed, and with the rest the next time', async () => {
  await using project = await setupCode()
  project.commit('Add it', { 'src/steps.ts': TEXT })
  await project.annotate({
    summary: 'Steps are numbered, because their order matters',
    regions: [
      { file: 'src/steps.ts', anchor: 'step1', intent: 'The second step joins with a dash' },
      { file: 'src/steps.ts', anchor: 'step9', intent: 'Another step' },
    ],
  })
  const stateDir = join(project.directory, '.git', 'waymark')
  rmSync(join(stateDir, 'cache'), { recursive: true, force: true })
  await using code = createCodeSource({
    root: project.directory,
    stateDir,
    inGit: true,
    staysOpen: true,
  })
  const ask = async () =>
    await execute(project.as('ann', { code }), whyCode, { path: 'src/steps.ts', lines: '5:7' })
  const first = await ask()
  expect(first.notes).toContain('No outline of src/steps.ts: it is still being parsed.')
  expect(first.reasons).toMatchObject([
    {
      text: 'The second step joins with a dash',
      at: 'step1',
      state: 'fresh',
      evidence: '3 lines of that commit left',
    },
  ])
  await expect
    .poll(ask, { timeout: 20_000 })
    .toEqual(await execute(project.context, whyCode, { path: 'src/steps.ts', lines: '5:7' }))
})
