import type { Config } from '../../core/project/config.ts'
import { readSetting } from '../../core/project/settings.ts'
import type { LogLevel } from '../../support/logger.ts'
import type { HttpFlags } from './http-settings.ts'
import type { GlobalOptions } from '../run-operation.ts'
import type { LogOptions } from './log/serve-log.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Options of `serve`, on stdio or over HTTP. */
export interface ServeOptions extends GlobalOptions, LogOptions, HttpFlags {
  readonly dialect: string
  readonly readOnly?: boolean
  readonly sync?: boolean
  readonly toolsets?: string
  readonly tools?: string
  readonly strictProtocol?: boolean
  /** The notes ref that annotations are in, instead of what the settings say. */
  readonly noteRef?: string
  /** Projects to serve; the first is meant when a request names none. */
  readonly project?: readonly string[]
  readonly toolNames?: 'dotted' | 'underscore'
  readonly timeoutSeconds?: string
  readonly maxConcurrentRequests?: string
  readonly logLevel?: LogLevel
}

/** The folders of the projects to serve, the one that need not be named first. */
export function foldersOf(
  { directory, project: named = [] }: ServeOptions,
  { cwd }: Terminal,
): readonly [string, ...string[]] {
  const [first, ...others] = named
  if (directory === undefined && first !== undefined) return [first, ...others]
  return [directory ?? cwd, ...named]
}

/** The values of the flags, for `loadConfig`. An error names the flag that was typed. */
export function settingsOf(options: ServeOptions): Partial<Config> {
  const { actor, logLevel, timeoutSeconds, maxConcurrentRequests: most } = options
  const read = <K extends keyof Config>(name: K, flag: string) =>
    readSetting(name, { env: {}, flag })
  return {
    ...(actor !== undefined && { actor }),
    ...(logLevel !== undefined && { logLevel }),
    ...(timeoutSeconds !== undefined && {
      requestTimeoutMs: read('requestTimeoutMs', timeoutSeconds),
    }),
    ...(most !== undefined && { maxConcurrentRequests: read('maxConcurrentRequests', most) }),
  }
}

/** Whether the server also keeps its clones current. */
export function syncs({ sync }: ServeOptions, { env }: Terminal): boolean {
  return readSetting('sync', { env, flag: sync })
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Calls `stop` when the process is told to end; a second signal ends it at once. */
export function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  for (const signal of STOP_SIGNALS) process.once(signal, stop)
}
