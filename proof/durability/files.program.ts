// Puts files of all kinds in their place again and again, and says on standard output which of them are there.
import { createHash } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { readConfigFile, replaceFile } from '../../packages/waymark/src/install/config-file.ts'
import { addArtifact } from '../../packages/waymark/src/artifact/operations.ts'
import { getArtifact } from '../../packages/waymark/src/artifact/content/content.ts'
import { exportBackup } from '../../packages/waymark/src/backup/operations.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { createSnapshot } from '../../packages/waymark/src/snapshot/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { contextOf } from '../system/agent.ts'

export interface FilesAssignment {
  readonly directory: string
  /** A folder of the project, for all of them. */
  readonly folder: string
  readonly rounds: number
}

/** A file as it was when whoever asked for it was told that it is there. */
export interface PutFile {
  readonly path: string
  readonly hash: string
}

const { directory, folder, rounds } = JSON.parse(process.argv[2] ?? '') as FilesAssignment
await using project = await openProject(directory)
const context = contextOf(project, 'writer')
for (let n = 1; n <= rounds; n += 1) {
  await execute(context, createEntity, { type: 'note', title: `note ${n}` })
  await execute(context, exportBackup, { path: `${folder}/backup.jsonl`, force: true })
  report('backup.jsonl')
  const { id } = await execute(context, addArtifact, { text: `content ${n} `.repeat(500) })
  await execute(context, getArtifact, { id, output: `${folder}/artifact.txt`, force: true })
  report('artifact.txt')
  const snapshot = `${folder}/knowledge`
  const { files_generated } = await execute(context, createSnapshot, { output_dir: snapshot })
  for (const path of files_generated) report(`knowledge/${path}`)
  const settings = readConfigFile(join(directory, folder, 'host/settings.json'), directory)
  await replaceFile(settings, Buffer.from(JSON.stringify({ round: n })))
  report('host/settings.json')
}

function report(name: string): void {
  const path = join(directory, folder, name)
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  writeSync(1, `${JSON.stringify({ path, hash } satisfies PutFile)}\n`)
}
