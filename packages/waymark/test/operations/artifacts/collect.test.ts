import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bundleProgram } from '../../../../../scripts/vitest/bundle-program.ts'
import { execute } from '../../../src/core/execute.ts'
import { addArtifact } from '../../../src/artifact/operations.ts'
import { removeArtifact } from '../../../src/artifact/changes.ts'
import { collectUnneeded } from '../../../src/artifact/content/collect-unneeded.ts'
import { collectArtifacts } from '../../../src/artifact/content/collect.ts'
import { createEntity, deleteEntity } from '../../../src/entity/operations.ts'
import { joinAgent } from '../../../src/agent/operations.ts'
import { sendMessage } from '../../../src/message/operations.ts'
import { checkStore } from '../../../src/integrity/operations.ts'
import { openProject } from '../../../src/core/project/project.ts'
import { createStore } from '../../../src/core/store/store.ts'
import { type Setup, setup } from '../../setup.ts'
import { createWorkspace, type Workspace } from '../../store/workspace.ts'
import { contentFiles, contentFolder } from './files.ts'

async function addAndRemove({ context }: Setup, text: string): Promise<string> {
  const { id, hash } = await execute(context, addArtifact, { text })
  await execute(context, removeArtifact, { id })
  return hash
}

/** What a collection has deleted or still deletes that is held up in its first deletion until its time is over. */
async function collectUntilTimeout(
  workspace: Workspace,
  patience: number,
  hashes: readonly string[],
): Promise<readonly string[]> {
  await using database = await workspace.openDatabase(patience)
  let end = (): void => {}
  const isOver = new Promise<void>((resolve) => (end = resolve))
  const deleted: string[] = []
  const contents = {
    delete: async (hash: string) => {
      deleted.push(hash)
      await isOver
      return true
    },
  }
  const collected = collectUnneeded(createStore(database), contents, hashes)
  // `busy` where not even its turn came in time.
  const code = expect.stringMatching(/^(timeout|busy)$/) as string
  await expect(collected).rejects.toMatchObject({ code })
  end()
  await nextTurn()
  return deleted
}

describe('a collection', () => {
  it('removes what nothing refers to, and first says so when asked', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, addArtifact, { text: 'kept' })
    const hash = await addAndRemove(project, 'gone')
    const expected = { removed: 1, bytes: 4, kept: 1, hashes: [hash] }
    expect(await execute(context, collectArtifacts, { dry_run: true })).toMatchObject(expected)
    expect(contentFiles(project)).toHaveLength(2)
    expect(await execute(context, collectArtifacts, {})).toMatchObject(expected)
    expect(contentFiles(project)).toHaveLength(1)
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 0, kept: 1 })
  })

  it('repeated with its key, gives the answer it gave, and takes nothing more', async () => {
    await using project = await setup()
    const context = project.as('tester', { idempotencyKey: 'once' })
    const hash = await addAndRemove(project, 'gone')
    const first = await execute(context, collectArtifacts, {})
    expect(first).toMatchObject({ removed: 1, hashes: [hash] })
    await addAndRemove(project, 'later')
    expect(await execute(context, collectArtifacts, {})).toEqual(first)
    expect(contentFiles(project)).toHaveLength(1)
  })

  it('that has run out of time deletes nothing after its lock is gone', async () => {
    await using workspace = await createWorkspace()
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)]
    // A machine under load may need longer than the first of these before it even begins to delete.
    for (const patience of [300, 3_000, 20_000]) {
      const deleted = await collectUntilTimeout(workspace, patience, [first, second])
      expect(deleted).not.toContain(second)
      if (deleted.includes(first)) return
    }
    expect.unreachable('the collection never got to delete anything')
  })

  it('takes no removal for granted that is not committed', async () => {
    await using project = await setup()
    const { context } = project
    const { id, hash } = await execute(context, addArtifact, { text: 'removed now' })
    await using other = await openProject(project.directory)
    const stillNeeded: boolean[] = []
    const contents = {
      delete: async (deleted: string) => {
        stillNeeded.push((await other.store.artifacts.needed([deleted])).has(deleted))
        return true
      },
    }
    // One transaction takes in what waits for some milliseconds, which on a busy machine are over soon.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    await Promise.all([
      context.store.write((tx) => tx.artifacts.remove(id, context.now())),
      collectUnneeded(context.store, contents, [hash]),
    ])
    expect(stillNeeded).toEqual([false])
  })

  it('keeps a content as long as one artifact has it', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, addArtifact, { text: 'shared' })
    await addAndRemove(project, 'shared')
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 0, kept: 1 })
  })

  it('keeps what a text or a message points to', async () => {
    await using project = await setup()
    const { context } = project
    const [noted, said] = [await addAndRemove(project, 'a'), await addAndRemove(project, 'b')]
    const content = `see cas://${noted}, it says why`
    await execute(context, createEntity, { type: 'note', title: 'Evidence', content })
    await execute(project.as('ada'), joinAgent, {})
    await execute(context, sendMessage, { to: 'ada', body: `cas://${said}` })
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 0, kept: 2 })
    await execute(context, deleteEntity, { id: '1' })
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ hashes: [noted] })
  })

  it('keeps what an upload is about to need, unless that was given up long ago', async () => {
    await using project = await setup()
    const { context } = project
    const hash = await addAndRemove(project, 'soon')
    await context.store.write(async (tx) => {
      await tx.artifacts.beginUpload('upload', hash, await tx.now(context))
    })
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 0, kept: 1 })
    project.tick(2 * 60 * 60 * 1000)
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 1, kept: 0 })
  })

  it('keeps that also when the clock of the machine is set ahead meanwhile', async () => {
    await using project = await setup()
    const { context } = project
    const hash = await addAndRemove(project, 'soon')
    await context.store.write(async (tx) => {
      await tx.artifacts.beginUpload('upload', hash, await tx.now(context))
    })
    project.setClock(2 * 24 * 60 * 60 * 1000)
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 0, kept: 1 })
    project.tick(2 * 60 * 60 * 1000)
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ removed: 1, kept: 0 })
  })

  it('clears away what broken uploads left, but not what is being written', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, addArtifact, { text: 'x' })
    const [old, young] = ['old.part', 'young.part'].map((name) =>
      join(contentFolder(project), 'incoming', name),
    )
    for (const path of [old, young]) writeFileSync(path ?? '', 'half')
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000)
    utimesSync(old ?? '', longAgo, longAgo)
    expect(await execute(context, collectArtifacts, {})).toMatchObject({ leftovers: 1 })
    expect(contentFiles(project)).toContain(young)
  })
})

const WORKER = new URL('worker.program.ts', import.meta.url)

function work(directory: string, role: 'add' | 'collect', name: string) {
  const child = fork(bundleProgram(WORKER), [directory, role, name], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  return { child, exited: once(child, 'exit') }
}

it('eight processes that add and remove the same and different contents lose none to two that collect', async () => {
  await using project = await setup()
  const collectors = ['c', 'd'].map((name) => work(project.directory, 'collect', name))
  const adders = Array.from({ length: 8 }, (_, n) => work(project.directory, 'add', `${n}`))
  // Each ends with 0 only if it could read what it had just added, every time.
  for (const { exited } of adders) expect((await exited)[0]).toBe(0)
  for (const { child } of collectors) child.send('stop')
  for (const { exited } of collectors) expect((await exited)[0]).toBe(0)
  const { context } = project
  expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
  await execute(context, collectArtifacts, {})
  // What each has kept: one of its own, and the one that all share.
  const kept = contentFiles(project).map((path) => readFileSync(path, 'utf8'))
  const own = Array.from({ length: 8 }, (_, n) => `own ${n}`)
  expect(kept.toSorted()).toEqual([...own, 'shared'].toSorted())
})
