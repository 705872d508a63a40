// The floor of the writes: for each line that it reads it runs the statements of one call, with their values and their
// flush, and answers with a line. Arguments: a database, and a file with the statements of each call.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Connection } from '@waymark/sqlite'
import { run, type Statement } from '../profile/statements.ts'

const [database = '', file = ''] = process.argv.slice(2)
const connection = new Connection(database, 'write')
const calls = JSON.parse(readFileSync(file, 'utf8')) as Statement[][]

for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line) as { id: number }
  run(connection, calls.shift() ?? [])
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`)
}
connection.close()
