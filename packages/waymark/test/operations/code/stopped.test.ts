import { expect, it, vi } from 'vitest'
import type { Context } from '../../../src/context.ts'
import { execute } from '../../../src/execute.ts'
import { annotateCode } from '../../../src/operations/code/annotate.ts'
import { correctCode } from '../../../src/operations/code/correct.ts'
import {
  exportAnnotations,
  importAnnotations,
  mergeAnnotations,
} from '../../../src/operations/code/exchange.ts'
import { carryAnnotations, repairAnnotations } from '../../../src/operations/code/repair.ts'
import { CLIENT, type CodeSetup, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const NOTES = 'refs/notes/waymark'
const CHANGE = {
  summary: 'A client that retries on its own',
  regions: [{ file: FILE, intent: 'the broker forgets' }],
}

/** An annotated commit that was then made again. */
async function amended(): Promise<CodeSetup & { readonly before: string }> {
  const test = await setupCode()
  const before = test.commit('one', { [FILE]: CLIENT })
  await test.annotate(CHANGE)
  test.git('commit', '--quiet', '--amend', '-m', 'one, said better')
  return { ...test, before }
}

/** A call that is told to stop at the moment when git has written its first notes. */
async function stoppedOnceWritten(test: CodeSetup): Promise<Context> {
  const controller = new AbortController()
  const repository = await test.context.code?.repository()
  if (repository === undefined) throw new Error('no repository')
  const run = repository.run.bind(repository)
  vi.spyOn(repository, 'run').mockImplementation(async (args, options) => {
    const result = await run(args, options)
    if (args.includes('fast-import') || args.includes('update-ref')) controller.abort()
    return result
  })
  return test.as('tester', { signal: controller.signal })
}

type Call = (test: Awaited<ReturnType<typeof amended>>) => Promise<{
  readonly run: (context: Context) => Promise<unknown>
  readonly answer: unknown
}>

const CALLS: Readonly<Record<string, Call>> = {
  'code.annotate': async () => ({
    run: (context) => execute(context, annotateCode, CHANGE),
    answer: { success: true, regions_written: 1 },
  }),
  'code.correct': async ({ before }) => ({
    run: (context) => execute(context, correctCode, { path: FILE, reason: 'it was replaced' }),
    answer: { commit: before, correction: { correction_text: 'it was replaced' } },
  }),
  'code.carry': async ({ before }) => ({
    run: (context) => execute(context, carryAnnotations, { to: 'HEAD', from: [before] }),
    answer: { carried: [{ from: before }] },
  }),
  'code.repair': async ({ before }) => ({
    run: (context) => execute(context, repairAnnotations, {}),
    answer: { carried: [{ from: before }] },
  }),
  'code.import': async ({ context: exporter, git, before }) => {
    const { annotations } = await execute(exporter, exportAnnotations, {})
    git('notes', '--ref', NOTES, 'remove', before)
    const content = annotations.map((each) => JSON.stringify(each)).join('\n')
    return {
      run: (context) => execute(context, importAnnotations, { content }),
      answer: { imported: 1 },
    }
  },
  'code.merge': async ({ git }) => {
    git('update-ref', 'refs/notes/remotes/origin/waymark', NOTES)
    git('update-ref', '-d', NOTES)
    return {
      run: (context) => execute(context, mergeAnnotations, {}),
      answer: { merged: [{ changed: 1 }] },
    }
  },
}

it.each(Object.entries(CALLS))(
  '%s that is stopped once git has its notes tells what it did, and the notes are read',
  async (_name, prepare) => {
    await using test = await amended()
    const { run, answer } = await prepare(test)
    const stopped = await stoppedOnceWritten(test)
    expect(await run(stopped)).toMatchObject(answer as object)
    expect(stopped.signal.aborted).toBe(true)
    expect((await test.read({ path: FILE })).regions).not.toEqual([])
  },
)

it('code.annotate that is stopped before git has its note writes none', async () => {
  await using test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  const controller = new AbortController()
  const repository = await test.context.code?.repository()
  if (repository === undefined) throw new Error('no repository')
  const { settings } = repository
  const read = settings.read.bind(settings)
  vi.spyOn(settings, 'read').mockImplementation(async (...given) => {
    controller.abort()
    return await read(...given)
  })
  const stopped = test.as('tester', { signal: controller.signal })
  await expect(execute(stopped, annotateCode, CHANGE)).rejects.toMatchObject({ code: 'cancelled' })
  expect((await test.read({ path: FILE })).regions).toEqual([])
})
