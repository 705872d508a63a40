import { expect, it } from 'vitest'
import { loadConfig } from '../../src/core/project/config.ts'
import { withRustLog } from '../../src/surfaces/serve/log/rust-log.ts'

const LEVELS: readonly [string, string][] = [
  ['error', 'error'],
  ['WARN', 'warn'],
  ['off', 'off'],
  ['5', 'trace'],
  ['medulla=trace', 'trace'],
  ['medulla', 'trace'],
  ['medulla::mcp=debug,medulla=error', 'debug'],
  ['error,medulla=debug', 'debug'],
  ['medulla=debug,error', 'debug'],
  [' warn , hyper=trace ', 'warn'],
  ['hyper=trace', 'info'],
  ['medulla_core=trace', 'info'],
  ['medulla[request{id=1}]=trace', 'info'],
  ['medulla=loud', 'info'],
  ['', 'info'],
]

it('RUST_LOG sets the level of its most precise directive, below the variables of ours [rust-log-directives]', () => {
  const levelOf = (env: Record<string, string>) =>
    loadConfig(undefined, withRustLog(env, 'medulla::mcp')).logLevel
  for (const [directives, level] of LEVELS) {
    expect(levelOf({ RUST_LOG: directives }), directives).toBe(level)
  }
  for (const name of ['MEDULLA_LOG_LEVEL', 'WAYMARK_LOG_LEVEL']) {
    expect(levelOf({ RUST_LOG: 'trace', [name]: 'warn' }), name).toBe('warn')
  }
})
