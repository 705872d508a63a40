import { toVisibleJson } from './text/visible-text.ts'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'off'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  trace(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger whose lines all carry `fields`, such as the request id. */
  with(fields: LogFields): Logger
}

export interface LoggerOptions {
  readonly level: LogLevel
  readonly target: string
  /** `json` is for programs that read the log: one object in each line. */
  readonly format?: 'text' | 'json'
  /** Receives one finished line without its newline. */
  readonly write: (line: string) => void
  readonly now?: () => number
}

/** Lines such as `2026-11-15T12:00:00.000Z INFO waymark::mcp request{id=1 method="tools/call"} completed duration_ms=5`. */
export function createLogger(options: LoggerOptions): Logger {
  return bind(options, {})
}

const LONGEST_TEXT = 500
const LONGEST_ERROR = 8000

/** `bound` is what every line carries, in the order in which it was added. */
function bind(options: LoggerOptions, bound: LogFields): Logger {
  return new LineLogger(options, bound)
}

/** A class, because each request has two of them and most write nothing. */
class LineLogger implements Logger {
  readonly #options: LoggerOptions
  readonly #bound: LogFields

  constructor(options: LoggerOptions, bound: LogFields) {
    this.#options = options
    this.#bound = bound
  }

  trace(message: string, fields?: LogFields): void {
    this.#log('trace', message, fields)
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields)
  }

  with(fields: LogFields): Logger {
    return new LineLogger(this.#options, { ...this.#bound, ...fields })
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    const { target, write, format, now = Date.now } = this.#options
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#options.level)) return
    const toLine = format === 'json' ? toJsonLine : toTextLine
    const time = new Date(now()).toISOString()
    write(toLine({ time, level, target, bound: this.#bound, message, fields }))
  }
}

export const SILENT: Logger = createLogger({ level: 'off', target: '', write: () => {} })

interface Entry {
  readonly time: string
  readonly level: LogLevel
  readonly target: string
  readonly bound: LogFields
  readonly message: string
  readonly fields: LogFields
}

function toTextLine({ time, level, target, bound, message, fields }: Entry): string {
  const request = toPairs(bound)
  const prefix = request === '' ? '' : `request{${request}} `
  const tail = toPairs(fields)
  return `${time} ${level.toUpperCase()} ${target} ${prefix}${message}${tail === '' ? '' : ` ${tail}`}`
}

function toJsonLine({ bound, fields: { message: detail, ...fields }, ...entry }: Entry): string {
  const all: [string, unknown][] = Object.entries({ ...entry, ...bound, ...fields, detail })
  return toVisibleJson(Object.fromEntries(all.map(([key, value]) => [key, toShort(value)])))
}

function toPairs(fields: LogFields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${toText(value)}`)
    .join(' ')
}

/** Escapes a value to one visible line, so that stored text cannot forge log lines or send escape sequences. */
function toText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return toVisibleJson(toShort(value))
}

/** Truncates texts and errors; a whole body is only logged as an object. */
function toShort(value: unknown): unknown {
  if (value instanceof Error) return cut(describe(value), LONGEST_ERROR)
  return typeof value === 'string' ? cut(value, LONGEST_TEXT) : value
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`
}

function describe(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${own}; caused by ${describe(error.cause)}` : own
}
