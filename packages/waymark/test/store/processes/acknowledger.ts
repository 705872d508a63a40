// Acknowledges each create on stdout, for a tracer to see in which order things reach the disk.
import { writeSync } from 'node:fs'
import { openStore } from '../../../src/core/store/open.ts'
import { createEntity } from '../workspace.ts'

const [stateDir = ''] = process.argv.slice(2)

await using store = await openStore(stateDir)
for (let i = 0; i < 20; i++) {
  await createEntity(store)
  writeSync(1, 'acknowledged\n')
}
