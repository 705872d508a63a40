// Writes until the disk is full, then makes room and writes again, and reports what the store said and kept.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../../src/core/error.ts'
import { initialiseStore, openStore } from '../../../src/core/store/open.ts'
import { createEntity, NOW } from '../workspace.ts'

const [disk = ''] = process.argv.slice(2)
const ballast = join(disk, 'ballast')
const stateDir = join(disk, 'state')

await initialiseStore(stateDir, { projectId: 'p', now: NOW })
writeFileSync(ballast, Buffer.alloc(500_000))
await using store = await openStore(stateDir)

let acknowledged = 0
let failure: unknown
while (failure === undefined) {
  const batch = await Promise.allSettled(
    Array.from({ length: 5 }, () => createEntity(store, { content: 'x'.repeat(20_000) })),
  )
  acknowledged += batch.filter(({ status }) => status === 'fulfilled').length
  failure = batch.find((result) => result.status === 'rejected')?.reason
}
const { total } = await store.entities.list({ limit: 1, offset: 0 })
rmSync(ballast)
const { number } = await createEntity(store)
const code = failure instanceof Failure ? failure.code : 'crash'
console.log(
  JSON.stringify({ code, acknowledged, total, number, latest: await store.events.latest() }),
)
