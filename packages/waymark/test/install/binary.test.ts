import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { waymark } from '../e2e/binary.ts'
import { createRepository } from '../setup.ts'

interface Report {
  readonly ok: boolean
  readonly checks: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
  }[]
}

it('with an empty home: install, have it tried by doctor, and uninstall without a trace', async () => {
  await using repository = createRepository()
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'))
  const run = (...words: string[]) =>
    waymark(repository.directory, words, { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '' })
  await run('init')
  const before = readdirSync(repository.directory)
  expect(await run('install', 'claude-code', 'cursor', 'codex', '--instructions')).toMatchObject({
    exit: 0,
  })
  expect(await run('install', 'claude-desktop', 'goose', '--global')).toMatchObject({ exit: 0 })

  const examined = await run('doctor', '--json')
  const report = JSON.parse(examined.out) as Report
  expect(report.checks.filter(({ status }) => status !== 'ok')).toEqual([])
  expect(examined.exit).toBe(0)
  const hosts = report.checks.filter(({ message }) =>
    /: waymark \d+\.\d+\.\d+, \d+ tools, \d+ ms$/.test(message),
  )
  expect(hosts.map(({ name }) => name)).toEqual([
    'Claude Code (project)',
    'Codex (project)',
    'Goose (global)',
    'Cursor (project)',
    'Claude Desktop (global)',
  ])

  await run('install', '--uninstall')
  await run('install', '--uninstall', '--global')
  expect(readdirSync(repository.directory)).toEqual(before)
  expect(readdirSync(home)).toEqual([])
  rmSync(home, { recursive: true })
})
