import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { withNoteRef } from '../../src/git/code-source.ts'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { exportAnnotations } from '../../src/annotation/write/exchange.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { readCode } from '../../src/annotation/read/read.ts'
import { fetchRemote, findRemote } from '../../src/sync/remote/remote.ts'
import { lose } from '../git/repository.ts'
import { type Clone, createTeam } from './clones.ts'

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']

/** The first of a team, with a commit that everybody gets. */
function commitFirst(clone: Clone): void {
  writeFileSync(join(clone.directory, 'file.ts'), 'export const x = 1\n')
  clone.git('add', 'file.ts')
  clone.git(...IDENTITY, 'commit', '--quiet', '--message', 'one')
  clone.git('push', '--quiet', 'origin', 'HEAD:main')
}

test('annotations come over whichever dialect wrote them', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  commitFirst(ada)
  const bob = await team.clone('bob')
  const code = ada.context.code ?? expect.unreachable()
  const as = { ...ada.context, code: withNoteRef(code, undefined, 'ultragit') }
  const annotation = (intent: string) => ({
    summary: 'What was said in one dialect or the other',
    regions: [{ file: 'file.ts', intent }],
  })
  await execute(as, annotateCode, annotation('by ultragit'))
  await ada.run(annotateCode, annotation('by waymark'))
  await ada.sync()
  expect(await bob.sync()).toMatchObject({ received: { notes: 2 } })
  const { regions } = await bob.run(readCode, { path: 'file.ts' })
  const intents = ['by ultragit', 'by waymark']
  expect(regions.map(({ intent }) => intent).toSorted()).toEqual(intents)
  expect((await bob.run(exportAnnotations, {})).annotations).toHaveLength(2)
  expect(await bob.sync()).toMatchObject({ received: { notes: 0 } })
})

test('a note that cannot be read keeps no knowledge here, and is joined once it can', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  commitFirst(ada)
  const bob = await team.clone('bob')
  const annotation = {
    summary: 'What one of them said',
    regions: [{ file: 'file.ts', intent: 'x' }],
  }
  await ada.run(annotateCode, annotation)
  await ada.sync()
  await bob.run(annotateCode, annotation)
  await bob.run(createEntity, { type: 'note', title: 'what bob knows' })
  const commit = bob.git('rev-parse', 'HEAD').trim()
  const putBack = lose(bob, `refs/notes/waymark:${commit}`)
  // The git that is running still has the file open.
  await (await bob.context.code?.repository())?.objects[Symbol.asyncDispose]()
  await expect(bob.sync()).rejects.toMatchObject({
    code: 'storage_corrupt',
    message: expect.stringContaining('git fetch --refetch'),
    details: { reason: 'note_unreadable', commit },
  })
  expect(await ada.sync()).toMatchObject({ received: { created: 1, notes: 0 } })
  putBack()
  expect(await bob.sync()).toMatchObject({ received: { notes: 1 }, sent: { pushed: true } })
  expect(await ada.sync()).toMatchObject({ received: { notes: 1 } })
})

test('a fetch that meets another one of this clone is tried again', async () => {
  await using team = createTeam()
  const ada = await team.clone('ada')
  await ada.run(createEntity, { type: 'note', title: 'a note' })
  await ada.sync()
  const repository = (await ada.context.code?.repository()) ?? expect.unreachable()
  const options = { notesRefs: [], onlyNamed: true }
  const remote = findRemote(await repository.remotes(), 'origin', options) ?? expect.unreachable()
  ada.git('update-ref', '-d', remote.logRef)
  const lock = join(ada.directory, '.git', `${remote.logRef}.lock`)
  const failures: string[] = []
  const reach: typeof repository.reach = async (args, call) => {
    if (failures.length === 0) {
      mkdirSync(dirname(lock), { recursive: true })
      writeFileSync(lock, '')
    }
    const result = await repository.reach(args, call)
    if (existsSync(lock)) rmSync(lock)
    if (result.exitCode !== 0) failures.push(result.stderr)
    return result
  }
  await fetchRemote({ ...repository, reach }, remote)
  expect(failures).toHaveLength(1)
  expect(ada.git('rev-parse', remote.logRef)).toBe(ada.git('rev-parse', 'refs/waymark/log'))
})
