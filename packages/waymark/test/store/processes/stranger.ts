// Tries everything on a state folder as the user it was started as, and reports the failures.
import { writeSync } from 'node:fs'
import { Failure } from '../../../src/core/error.ts'
import { openProject } from '../../../src/core/project/project.ts'
import { initialiseStore, openStore } from '../../../src/core/store/open.ts'
import { createEntity, NOW } from '../workspace.ts'

const [existing = '', absent = '', root] = process.argv.slice(2)

await report('initialise', () => initialiseStore(absent, { projectId: 'p', now: NOW }))
await report('read', async () => {
  await using store = await openStore(existing)
  return store.events.latest()
})
await report('write', async () => {
  await using store = await openStore(existing)
  return createEntity(store)
})
if (root !== undefined)
  await report('open', async () => await (await openProject(root))[Symbol.asyncDispose]())
process.disconnect()

async function report(what: string, action: () => Promise<unknown>): Promise<void> {
  const outcome = await action().then(
    () => ({ code: 'ok', message: '' }),
    (error: unknown) =>
      error instanceof Failure ? error : { code: 'crash', message: String(error) },
  )
  writeSync(1, `${JSON.stringify({ what, code: outcome.code, message: outcome.message })}\n`)
}
