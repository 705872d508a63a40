// Reports the newest event whenever it is told that something happened.
import { writeSync } from 'node:fs'
import { openStore } from '../../../src/core/store/open.ts'

const [stateDir = ''] = process.argv.slice(2)

const store = await openStore(stateDir)
store.watch(() => void report())
writeSync(1, 'ready\n')
process.once('message', () => process.disconnect())

async function report(): Promise<void> {
  writeSync(1, `${await store.events.latest()}\n`)
}
