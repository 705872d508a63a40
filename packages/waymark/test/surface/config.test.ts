import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { shell } from './shell.ts'

it('`config` shows each setting in force, where it comes from, and no credential', async () => {
  await using sh = await shell()
  mkdirSync(join(sh.directory, '.waymark'), { recursive: true })
  const file = {
    logLevel: 'warn',
    maxBatchSize: 50,
    actor: 'mallory',
    allowedSecrets: ['0123456789ab'],
  }
  writeFileSync(join(sh.directory, '.waymark/config.json'), JSON.stringify(file))
  const env = {
    WAYMARK_LOG_LEVEL: 'error',
    WAYMARK_EMBEDDING_URL: 'http://kim:secret@127.0.0.1:11434/v1',
    WAYMARK_EMBEDDING_MODEL: 'small',
  }
  const { exit, out, err } = await sh.run('config', { env })
  expect(exit).toBe(0)
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      'logLevel\terror\tWAYMARK_LOG_LEVEL',
      'maxBatchSize\t50\t.waymark/config.json',
      'requestTimeoutMs\t30000\tdefault',
      'actor\t-\tdefault',
      'embedding\tsmall at 127.0.0.1:11434\tWAYMARK_EMBEDDING_URL',
      'allowedSecrets\t1 fingerprint\t.waymark/config.json',
    ]),
  )
  expect(out).not.toMatch(/secret@|0123456789ab/)
  expect(err).toContain('actor')
  const json = JSON.parse((await sh.run('config --actor ada --json')).out)
  expect(json.settings).toContainEqual({ name: 'actor', value: 'ada', source: '--actor' })
  expect(await sh.run('config', { env: { WAYMARK_LOG_LEVEL: 'loud' } })).toMatchObject({ exit: 2 })
})
