import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createServeLog } from '../../src/surfaces/serve/log/serve-log.ts'
import { settingsOf } from '../../src/surfaces/serve/serve-setup.ts'
import { createTestTerminal } from './test-terminal.ts'

describe('a number that makes no sense', () => {
  it.each(['soon', '', ' ', '0', '-1', 'NaN', '1e300'])('%j is blamed on its flag', (text) => {
    expect(() => settingsOf({ dialect: 'waymark', timeoutSeconds: text })).toThrow(
      '--timeout-seconds: must be a number above 0',
    )
    expect(() => settingsOf({ dialect: 'waymark', maxConcurrentRequests: text })).toThrow(
      '--max-concurrent-requests: must be a whole number above 0',
    )
  })

  it('half a second is one that does', () => {
    expect(settingsOf({ dialect: 'waymark', timeoutSeconds: '0.5' })).toEqual({
      requestTimeoutMs: 500,
    })
  })
})

describe('the log file', () => {
  const LOG = { level: 'info', target: 'test' } as const

  it('has every line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-log-'))
    const logFile = join(folder, 'serve.log')
    {
      await using log = createServeLog({ logFile }, LOG, createTestTerminal('.'))
      log.info('hello')
    }
    expect(readFileSync(logFile, 'utf8')).toContain('hello')
    rmSync(folder, { recursive: true })
  })

  it('that cannot be written is told once, and the server goes on', async () => {
    const terminal = createTestTerminal('.')
    const logFile = join(tmpdir(), 'waymark-no-such-folder', 'serve.log')
    {
      await using log = createServeLog({ logFile }, LOG, terminal)
      log.info('first')
      await expect.poll(() => terminal.output.err).toContain('log file')
      log.info('second')
    }
    const lines = terminal.output.err.trim().split('\n')
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'INFO test first',
      expect.stringMatching(/^WARN test the log file cannot be written.* error="ENOENT/),
      'INFO test second',
    ])
  })
})
