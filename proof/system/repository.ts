import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { initialiseProject } from '../../packages/waymark/src/core/project/project.ts'
import { createFolder, type Folder } from './folder.ts'

/** A Git repository with one commit that is a Waymark project, gone afterwards. */
export async function createProject(): Promise<Folder> {
  const folder = createFolder()
  const git = (...args: string[]) => execFileSync('git', ['-C', folder.path, ...args])
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'Proof')
  git('config', 'user.email', 'proof@example.invalid')
  writeFileSync(
    join(folder.path, 'code.ts'),
    'export function answer(): number {\n  return 42\n}\n',
  )
  git('add', '.')
  git('commit', '--quiet', '--message', 'The answer')
  await initialiseProject(folder.path)
  return folder
}
