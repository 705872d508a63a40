import { Connection } from '@waymark/sqlite'

type Method = 'exec' | 'get' | 'all' | 'run'
export type Statement = readonly [method: Method, sql: string, values: readonly never[]]

const METHODS: readonly Method[] = ['exec', 'get', 'all', 'run']

/** Records what every connection of this process runs. */
export function recordStatements(): { stop(): readonly Statement[] } {
  const recorded: Statement[] = []
  const prototype = Connection.prototype as unknown as Record<Method, (...args: never[]) => unknown>
  const originals = METHODS.map((method) => [method, prototype[method]] as const)
  for (const [method, original] of originals) {
    prototype[method] = function (this: Connection, sql: never, ...values: never[]) {
      recorded.push([method, sql, values])
      return original.call(this, sql, ...values)
    }
  }
  return {
    stop() {
      for (const [method, original] of originals) prototype[method] = original
      return recorded
    },
  }
}

/** Runs the same statements on another database, in the same order and transactions. */
export function replay(path: string, statements: readonly Statement[]): void {
  const connection = new Connection(path, 'write')
  run(connection, statements)
  connection.close()
}

export function run(connection: Connection, statements: readonly Statement[]): void {
  for (const [method, sql, values] of statements) {
    if (sql.startsWith('PRAGMA')) continue
    if (method === 'exec') connection.exec(sql)
    else connection[method](sql, ...values)
  }
}
