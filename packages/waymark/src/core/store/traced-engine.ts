import type { Context } from '../context.ts'
import type { Sql, SqlReader } from './sql.ts'
import type { StoreEngine } from './store.ts'

type Span = Context['span']

/** An engine whose transactions and statements are spans of the operation that runs them. */
export function traceEngine(engine: StoreEngine, span: Span): StoreEngine {
  return {
    ...traceReads(engine, span),
    write: (work, options) =>
      span('sql.transaction', () => engine.write((sql) => work(traceSql(sql, span)), options)),
    watch: (listener, options) => engine.watch(listener, options),
    version: () => engine.version(),
    copyToMemory: (tables) => engine.copyToMemory(tables),
    releaseMemory: () => engine.releaseMemory(),
    emptyLog: () => engine.emptyLog(),
    rewrite: () => engine.rewrite(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

function traceSql(sql: Sql, span: Span): Sql {
  return {
    ...traceReads(sql, span),
    ...(sql.connection !== undefined && { connection: sql.connection }),
    ...(sql.counters !== undefined && { counters: sql.counters }),
    run: (text, values) => span(nameOf(text), () => sql.run(text, values)),
    send: (text, values) => span(nameOf(text), () => sql.send(text, values)),
  }
}

function traceReads(sql: SqlReader, span: Span): SqlReader {
  return {
    ...(sql.fullText !== undefined && { fullText: sql.fullText }),
    ...(sql.clock !== undefined && { clock: sql.clock }),
    ...(sql.remembers !== undefined && { remembers: sql.remembers }),
    get: (text, values) => span(nameOf(text), () => sql.get(text, values)),
    all: (text, values) => span(nameOf(text), () => sql.all(text, values)),
  }
}

/** `sql.select entity`: the kind of a statement and its first table, never a value. */
function nameOf(text: string): string {
  const [, kind = 'statement'] = /^\s*(\w+)/.exec(text) ?? []
  const [, table] = /\b(?:FROM|INTO|UPDATE)\s+(?:ONLY\s+)?([a-z_]+)\b/.exec(text) ?? []
  return `sql.${kind.toLowerCase()}${table === undefined ? '' : ` ${table}`}`
}
