import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { allOperations, findOperation } from '../../src/registry.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { searchByText } from '../../src/search/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { setup } from '../setup.ts'

/** Put together here, so that this file contains none. */
const SECRET = `ghp_${'a1B2c3D4'.repeat(5)}`.slice(0, 40)
const note = (fields: object) => ({ type: 'note', title: 'A note', ...fields })

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof Failure) return error
  throw new Error('was not refused', { cause: error })
}

/** Whether a text is in any file of the repository, Git's own included. */
function isOnDisk(directory: string, text: string): boolean {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  return files
    .filter((file) => file.isFile())
    .some((file) => readFileSync(join(file.parentPath, file.name)).includes(text))
}

describe('a text with a secret in it', () => {
  it('is refused with the rule and the place, is not repeated and not stored', async () => {
    await using project = await setup()
    const content = `Deploy with ${SECRET} please`
    const failure = await failureOf(execute(project.context, createEntity, note({ content })))
    expect(failure).toMatchObject({
      code: 'invalid_input',
      details: { field: 'content', rule: 'secret', secret: 'github-token', offset: 12 },
    })
    expect(JSON.stringify([failure.message, failure.details])).not.toContain(SECRET)
    expect(isOnDisk(project.directory, SECRET)).toBe(false)
    expect(await project.context.store.events.latest()).toBe(0)
  })

  it.each([
    ['deep inside a list', { operations: [{ fields: { tags: ['a', SECRET] } }] }, 'tags.1'],
    ['under a name that gives it away', { properties: { api_key: 'q8Zr2mX5vN1kT7wP' } }, 'api_key'],
    ['as the name of a field', { properties: { [SECRET]: 1 } }, 'properties'],
  ])('is refused %s', async (_, input, field) => {
    await using project = await setup()
    const failure = await failureOf(execute(project.context, createEntity, input))
    expect(failure.details).toMatchObject({ rule: 'secret' })
    expect(String(failure.details['field'])).toMatch(new RegExp(`${field}$`))
    expect(failure.message).not.toContain(SECRET)
  })

  it('is refused by every operation that changes something, before anything else', async () => {
    await using project = await setup()
    for (const operation of await allOperations()) {
      if (operation.effect === 'read') continue
      const failure = await failureOf(execute(project.context, operation, { anything: SECRET }))
      expect(failure.details, operation.name).toMatchObject({ secret: 'github-token' })
    }
  })

  it('can be searched for', async () => {
    await using project = await setup()
    const { results } = await execute(project.context, searchByText, { query: SECRET })
    expect(results).toEqual([])
  })

  it('is not written into git notes', async () => {
    await using project = await setup()
    const git = (...args: string[]) => execFileSync('git', ['-C', project.directory, ...args])
    git('-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '--message', 'First')
    const annotate = await findOperation('code.annotate')
    if (annotate === undefined) throw new Error('no code.annotate')
    const summary = `Signs with ${SECRET} because it must`
    expect(
      (await failureOf(execute(project.context, annotate, { summary }))).details,
    ).toMatchObject({ field: 'summary', secret: 'github-token' })
    expect(isOnDisk(project.directory, SECRET)).toBe(false)
  })

  it('is left out of an import, and the rest is taken over', async () => {
    await using project = await setup()
    const tasks = [
      { id: 'bd-1', title: 'Clean', status: 'open' },
      { id: 'bd-2', title: 'Leaky', description: SECRET, status: 'open' },
    ]
    mkdirSync(join(project.directory, '.beads'))
    const lines = tasks.map((task) => JSON.stringify(task)).join('\n')
    writeFileSync(join(project.directory, '.beads/issues.jsonl'), lines)
    const result = await execute(project.context, importTasks, { format: 'beads' })
    expect(result).toMatchObject({ created: 1, left_out: 1 })
    expect(result.remarks.join()).toMatch(/bd-2 was left out: .*github-token/)
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })
})

describe('what looks like a secret and is none', () => {
  it('is allowed by its rule or by its fingerprint', async () => {
    await using project = await setup()
    const input = note({ content: SECRET })
    const { details } = await failureOf(execute(project.context, createEntity, input))
    for (const allowed of ['github-token', String(details['fingerprint'])]) {
      const context = project.as('tester', { allowedSecrets: new Set([allowed]) })
      await expect(execute(context, createEntity, input)).resolves.toMatchObject({ type: 'note' })
    }
    const other = project.as('tester', { allowedSecrets: new Set(['jwt', 'ffffffffffff']) })
    expect((await failureOf(execute(other, createEntity, input))).code).toBe('invalid_input')
  })

  it('is allowed for one command by a person at a terminal, and for all by the settings', async () => {
    await using project = await setup()
    const add = async (options: { interactive?: boolean; flag?: boolean } = {}) => {
      const { interactive = false, flag = false } = options
      const terminal = createTestTerminal(project.directory, { interactive })
      const words = ['add', 'note', 'A note', '--content', SECRET]
      const exit = await runCli(flag ? [...words, '--allow-secret'] : words, terminal)
      return { exit, ...terminal.output }
    }
    const refused = await add()
    expect(refused).toMatchObject({ exit: 2, out: '' })
    expect(refused.err).toMatch(/github-token at character 0.*\n.*"[0-9a-f]{12}" to allowedSecrets/)
    expect(refused.err).not.toContain(SECRET)
    expect(await add({ flag: true })).toMatchObject({ exit: 1 })
    expect(await add({ flag: true, interactive: true })).toMatchObject({ exit: 0 })
    mkdirSync(join(project.directory, '.waymark'))
    const [, fingerprint = ''] = /"([0-9a-f]{12})"/.exec(refused.err) ?? []
    const settings = JSON.stringify({ allowedSecrets: [fingerprint] })
    writeFileSync(join(project.directory, '.waymark/config.json'), settings)
    expect(await add()).toMatchObject({ exit: 0 })
  })
})
