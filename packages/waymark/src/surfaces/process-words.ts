/** Commands that need no operation, so that they start without loading one. */
export const PROCESS_COMMANDS: ReadonlySet<string> = new Set([
  'init',
  'serve',
  'mcp',
  'install',
  'doctor',
  'config',
  'openapi',
  'watch',
  'ui',
  'open',
  'prime',
  'admin',
  'join',
  'completion',
  'complete',
])

/** Options of every command that are followed by a value. */
export const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '--directory',
  '--actor',
  '--idempotency-key',
])

export const GLOBAL_FLAGS = [
  '--directory',
  '--actor',
  '--idempotency-key',
  '--allow-secret',
  '--json',
  '--no-pager',
  '--help',
] as const
