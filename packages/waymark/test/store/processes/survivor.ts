// Goes on creating while the disk fails now and then, and reports what it was told and what is there in the end.
import { Failure } from '../../../src/core/error.ts'
import { openStore } from '../../../src/core/store/open.ts'
import { createEntity } from '../workspace.ts'
import { toEntityId } from '../../../src/entity/entity-id.ts'

const [stateDir = ''] = process.argv.slice(2)

await using store = await openStore(stateDir)
const acknowledged: string[] = []
const failures: string[] = []
for (let i = 0; i < 60; i++) {
  try {
    acknowledged.push((await createEntity(store)).id)
  } catch (error) {
    failures.push(error instanceof Failure ? error.code : 'crash')
  }
}
const { entities } = await store.entities.list({ limit: 100, offset: 0 })
const kept = new Set(entities.map(({ id }) => id))
const lost = acknowledged.filter((id) => !kept.has(toEntityId(id))).length
const latest = await store.events.latest()
console.log(
  JSON.stringify({ failures, lost, kept: kept.size, acknowledged: acknowledged.length, latest }),
)
