import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { annotateCode } from '../../src/operations/code/annotate.ts'
import { createEntity } from '../../src/operations/entities.ts'
import { createTeam, git } from '../replica/clones.ts'
import { unpack } from '../git/repository.ts'
import { alter } from './damaged-store.ts'

export interface AnnotatedProject extends Disposable {
  /** A copy of it, which may be damaged. */
  copy(): string
}

/** What is said of each commit. The last one is not yet sent anywhere. */
export const INTENTS = ['first', 'second', 'third'] as const

/** Three commits with an annotation each, in a clone that was synchronised; every object has a file of its own. */
export async function createAnnotatedProject(): Promise<AnnotatedProject> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-annotated-'))
  const original = join(folder, 'original')
  await using team = createTeam()
  const clone = await team.clone('ada')
  for (const [at, intent] of INTENTS.entries()) {
    writeFileSync(join(clone.directory, 'file.ts'), `export const x = ${at}\n`)
    git(clone.directory, 'add', '.')
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    git(clone.directory, ...identity, 'commit', '--quiet', '--message', intent)
    const regions = [{ file: 'file.ts', intent }]
    await clone.run(annotateCode, { summary: `What the ${intent} commit is for`, regions })
    if (at === 0) await clone.run(createEntity, { type: 'note', title: 'a note' })
    if (at === 1) await clone.sync()
  }
  await clone[Symbol.asyncDispose]()
  unpack(clone.directory)
  cpSync(clone.directory, original, { recursive: true })
  const remote = join(folder, 'remote.git')
  cpSync(team.remote, remote, { recursive: true })
  alter('PRAGMA wal_checkpoint(TRUNCATE)')(original)
  let copies = 0
  return {
    copy: () => {
      const directory = join(folder, `copy ${(copies += 1)}`)
      cpSync(original, directory, { recursive: true })
      cpSync(remote, `${directory}.git`, { recursive: true })
      git(directory, 'remote', 'set-url', 'origin', `${directory}.git`)
      return directory
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}
