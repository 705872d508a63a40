import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { taskContext } from '../../src/task/queue/context.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { pathToOutside, type Setup, setup } from '../setup.ts'

async function projectWith(...tasks: readonly (string | object)[]): Promise<Setup> {
  const project = await setup()
  for (const task of tasks) {
    await execute(project.context, createTask, typeof task === 'string' ? { title: task } : task)
  }
  return project
}

describe('explaining', () => {
  it('names everything in the way, also what a whole is blocked by', async () => {
    await using project = await projectWith(
      'blocker',
      'gone',
      { title: 'whole', depends_on: ['1'] },
      { title: 'part', parent: '3', depends_on: ['2'], defer_until: '2027-01-01' },
    )
    await execute(project.context, completeTask, { id: '2' })
    const explained = await execute(project.context, explainTask, { id: '4' })
    expect(explained).toMatchObject({
      ready: false,
      claimable: false,
      obstacles: [{ reason: 'deferred' }, { reason: 'blocked', tasks: [{ title: 'blocker' }] }],
      resolved: [{ title: 'gone' }],
    })
    expect(explained.obstacles[1]?.message).toMatch(
      /^#3 whole, which it is a part of, is blocked by #1 blocker/,
    )
  })

  it('a held task is ready but not to be had', async () => {
    await using project = await projectWith('A')
    expect(await execute(project.context, explainTask, { id: '1' })).toMatchObject({
      ready: true,
      claimable: true,
      obstacles: [],
    })
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await execute(project.context, explainTask, { id: '1' })).toMatchObject({
      ready: true,
      claimable: false,
      obstacles: [{ reason: 'held' }],
    })
  })
})

describe('the document behind a task', () => {
  const PRD = '# Product\n\n## Sign in {#auth}\n\nBy mail.\n\n## Colours\n\nBlue.\n'

  async function projectWithDocument() {
    const project = await setup()
    mkdirSync(join(project.directory, 'docs'))
    const write = (text: string) => writeFileSync(join(project.directory, 'docs/prd.md'), text)
    write(PRD)
    const { warnings } = await execute(project.context, createTask, {
      title: 'Sign in',
      content: 'Build it.',
      prd_source: 'docs/prd.md',
      prd_refs: ['auth'],
      prd_excerpt: 'By mail.',
    })
    expect(warnings).toEqual([])
    const read = (input: object = {}) =>
      execute(project.context, taskContext, { id: '1', ...input })
    return { project, write, read }
  }

  it('is shown with the task, only as far as it matters', async () => {
    const { project, read } = await projectWithDocument()
    await using _ = project
    expect(await read()).toEqual({
      task: expect.objectContaining({ title: 'Sign in' }),
      description: 'Build it.',
      acceptance_criteria: [],
      prd_source: 'docs/prd.md',
      prd_refs: ['auth'],
      prd_excerpt: 'By mail.',
      drift: { changed: false, details: [] },
      sections: [{ anchor: 'auth', content: '## Sign in {#auth}\n\nBy mail.' }],
      content: 'Build it.\n\nBy mail.\n\n## Sign in {#auth}\n\nBy mail.',
      truncated: false,
      warnings: [],
    })
  })

  it('has drifted when the section changed, not when another did', async () => {
    const { project, write, read } = await projectWithDocument()
    await using _ = project
    write(PRD.replace('Blue', 'Green'))
    expect(await read()).toMatchObject({ drift: { changed: false }, warnings: [] })
    write(PRD.replace('By mail', 'By key'))
    expect(await read()).toMatchObject({
      drift: { changed: true, details: ['section auth has changed'] },
      warnings: [{ code: 'prd_drift' }],
    })
    write('# Product\n')
    expect(await read()).toMatchObject({ drift: { details: ['section auth is gone'] } })
  })

  it('that is missing is a warning, and one outside the project is refused', async () => {
    await using project = await setup()
    symlinkSync('/etc', join(project.directory, 'link'))
    const create = (prd_source: string) =>
      execute(project.context, createTask, { title: 'A', prd_source })
    expect(await create('nowhere.md')).toMatchObject({ warnings: [{ code: 'missing_prd_source' }] })
    for (const path of [pathToOutside('/etc/hostname'), '/etc/hostname', 'link/hostname']) {
      await expect(create(path)).rejects.toMatchObject({ code: 'forbidden' })
    }
  })
})
