import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGES = ['@waymark/baton', '@waymark/cas', '@waymark/sqlite', 'waymark']

/** What a package is made of. Anything else got in by mistake. */
const PACKED =
  /^(?:package\.json|README\.md|LICENSE|bin\/(?:waymark\.js|package\.json)|grammars\/(?:NOTICE|[\w-]+\.wasm\.gz)|git-formats\/[\w-]+\/(?:config(?:\.lock)?|refs\/README)|dist\/ui\/(?:manifest\.json|apps\/[\w-]+\.html|(?:index\.html|icon\.svg|assets\/[\w.-]+\.(?:js|css))(?:\.br|\.gz)?)|dist\/.*(?:\.c?js|\.js\.map|\.d\.ts|NOTICE\.md))$/

it('what npm packs holds the licence, and the command the notices of those whose code is in it', async () => {
  const chosen = PACKAGES.flatMap((name) => ['--workspace', name])
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--json', '--silent', ...chosen],
    // On Windows the command is a script.
    { cwd: ROOT, shell: process.platform === 'win32' },
  )
  const packed = JSON.parse(stdout) as { name: string; files: { path: string }[] }[]
  const filesOf = (name: string): string[] | undefined =>
    packed.find((one) => one.name === name)?.files.map(({ path }) => path)
  for (const name of PACKAGES) {
    const files = filesOf(name) ?? []
    expect(files).toContain('LICENSE')
    expect(files.filter((file) => !PACKED.test(file))).toEqual([])
  }
  expect(filesOf('@waymark/baton')).toContain('dist/NOTICE.md')
  expect(filesOf('waymark')).toContain('dist/bin/NOTICE.md')
  expect(filesOf('waymark')).toContain('dist/ui/NOTICE.md')
  expect(filesOf('waymark')).toContain('git-formats/sha256-reftable/config.lock')
  const notices = readFileSync(`${ROOT}packages/waymark/dist/bin/NOTICE.md`, 'utf8')
  for (const name of ['zod', 'commander', 'jose', '@opentelemetry/api', 'yaml'])
    expect(notices).toMatch(new RegExp(`^## .*${name} \\d`, 'm'))
  expect(notices).toContain('Permission is hereby granted')
  expect(notices).toContain('Apache License')
})
