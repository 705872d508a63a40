import { createWriteStream } from 'node:fs'
import { createLogger, type Logger, type LogLevel } from '../../../support/logger.ts'
import type { Terminal } from '../../terminal/terminal.ts'

export interface LogOptions {
  /** A file that gets every line too. */
  readonly logFile?: string
  readonly jsonLogs?: boolean
}

/** The log of a server: standard error, never standard output, and a file if one is named. */
export function createServeLog(
  { logFile, jsonLogs }: LogOptions,
  { level, target }: { readonly level: LogLevel; readonly target: string },
  terminal: Terminal,
): Logger & AsyncDisposable {
  // For its owner alone, as the store is: a log names what is worked on.
  const file =
    logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  const logger = createLogger({
    level,
    target,
    format: jsonLogs === true ? 'json' : 'text',
    write: (line) => {
      terminal.err(`${line}\n`)
      file?.write(`${line}\n`)
    },
  })
  // A disk that is full must not take the server down with it; standard error still has every line.
  file?.on('error', () => {})
  file?.once('error', ({ message }) =>
    logger.warn('the log file cannot be written, so its lines are only here', { error: message }),
  )
  return Object.assign(logger, {
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => (file === undefined ? resolve() : file.end(resolve)))
    },
  })
}
