// Creates entities, as many as it is told to, and reports each one when it has been acknowledged.
import { writeSync } from 'node:fs'
import { openStore } from '../../../src/core/store/open.ts'
import { createEntity } from '../workspace.ts'

const [stateDir = '', count = '0'] = process.argv.slice(2)

await using store = await openStore(stateDir)
writeSync(1, 'ready\n')
await new Promise((resolve) => process.once('message', resolve))
process.disconnect()

for (let i = 0; i < Number(count); i++) {
  const started = performance.now()
  const { id, number } = await createEntity(store, { tags: ['a', 'b'], content: 'x'.repeat(500) })
  writeSync(1, `${JSON.stringify({ id, number, wait: performance.now() - started })}\n`)
}
