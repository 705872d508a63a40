// Migrates a new database and stops dead after a number of statements, with its transaction open.
import { writeSync } from 'node:fs'
import { MIGRATIONS, type Migration } from '../../../src/core/store/migrations.ts'
import { Connection } from '@waymark/sqlite'
import { migrate, useLog } from '../../../src/core/sqlite/database.ts'

const [path = '', point = '0'] = process.argv.slice(2)
let left = Number(point)

const connection = new Connection(path, 'create')
useLog(connection)
await migrate(connection, 1000, MIGRATIONS.map(toInterrupted))
stop()

function toInterrupted({ version, sqlite }: Migration): Migration {
  return {
    version,
    sqlite: { [Symbol.iterator]: () => interrupted(sqlite) } as unknown as string[],
  }
}

function* interrupted(statements: readonly string[]): Generator<string> {
  for (const statement of statements) {
    if (left-- === 0) stop()
    yield statement
  }
}

/** Waits for the kill without giving the event loop a chance to end things properly. */
function stop(): void {
  writeSync(1, 'stopped\n')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}
