// Initialises a folder at the same moment as others do, and reports what came of it.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { initialiseStore, openStore } from '../../../src/core/store/open.ts'
import { createEntity, NOW } from '../workspace.ts'

const [stateDir = ''] = process.argv.slice(2)

writeSync(1, 'ready\n')
await new Promise((resolve) => process.once('message', resolve))
process.disconnect()

const result = await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
await using store = await openStore(stateDir)
const { number } = await createEntity(store)
writeSync(1, `${JSON.stringify({ ...result, number })}\n`)
