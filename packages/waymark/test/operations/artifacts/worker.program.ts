// Adds and removes artifacts, or collects until it is told to stop, in a process of its own.
import { createContext } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { SILENT } from '../../../src/support/logger.ts'
import { addArtifact } from '../../../src/artifact/operations.ts'
import { removeArtifact } from '../../../src/artifact/changes.ts'
import { collectArtifacts } from '../../../src/artifact/content/collect.ts'
import { readArtifact } from '../../../src/artifact/content/content.ts'
import { openProject } from '../../../src/core/project/project.ts'

const ROUNDS = 8

const [directory = '', role = '', name = ''] = process.argv.slice(2)
await using project = await openProject(directory)
const context = createContext({
  store: project.store,
  agent: { name, surface: 'api' },
  logger: SILENT,
  project: { root: project.root, state: project.state },
})

if (role === 'collect') {
  let isStopped = false
  process.once('message', () => {
    isStopped = true
    process.disconnect()
  })
  while (!isStopped) await execute(context, collectArtifacts, {})
} else {
  for (let round = 0; round < ROUNDS; round += 1) await addAndRead(round === ROUNDS - 1)
}

async function addAndRead(isLast: boolean): Promise<void> {
  for (const text of ['shared', `own ${name}`]) {
    const { id } = await execute(context, addArtifact, { text })
    const read = await execute(context, readArtifact, { id })
    if (read.text !== text) throw new Error(`read ${read.text} instead of ${text}`)
    if (!isLast) await execute(context, removeArtifact, { id })
  }
}
