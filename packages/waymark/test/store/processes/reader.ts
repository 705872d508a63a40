// Keeps reading what the database says now, until it is told to stop; stays, and ends when told once more.
import { writeSync } from 'node:fs'
import { Connection } from '@waymark/sqlite'

const [path = ''] = process.argv.slice(2)

const connection = new Connection(path, 'write')
connection.exec('BEGIN')
connection.get('SELECT count(*) FROM entity')
writeSync(1, 'reading\n')
process.once('message', () => {
  connection.exec('COMMIT')
  writeSync(1, 'idle\n')
  process.once('message', () => process.disconnect())
})
