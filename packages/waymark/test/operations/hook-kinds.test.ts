import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import {
  addHook,
  hookSync,
  installCodeHooks,
  removeHook,
  showHook,
  showHooks,
  uninstallCodeHooks,
  unhookSync,
} from '../../src/hook/operations.ts'
import { setupCode } from './code/code-setup.ts'

/** The files of each kind. The post-commit hook of `code` is there only while a commit is waited for. */
const KINDS = {
  snapshot: ['pre-commit'],
  sync: ['post-merge', 'pre-push'],
  code: ['prepare-commit-msg', 'post-rewrite'],
} as const
const CODE_HOOKS = ['prepare-commit-msg', 'post-commit', 'post-rewrite']
const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[]

async function setup() {
  const test = await setupCode()
  const folder = join(test.directory, '.git/hooks')
  mkdirSync(folder, { recursive: true })
  return { ...test, folder, file: (name: string) => join(folder, name) }
}

describe('hook install --kind', () => {
  it.each(NAMES)(
    '%s installs its hooks, and uninstall leaves the folder as it was',
    async (kind) => {
      await using test = await setup()
      const { context, folder } = test
      const before = readdirSync(folder)
      expect(await execute(context, showHook, { kind })).toMatchObject({ state: 'not_installed' })
      expect(await execute(context, addHook, { kind })).toMatchObject({ state: 'installed' })
      expect(readdirSync(folder).filter((name) => !before.includes(name))).toEqual(
        KINDS[kind].toSorted(),
      )
      for (const name of KINDS[kind]) expect(statSync(test.file(name)).mode & 0o777).toBe(0o755)
      for (const other of NAMES.filter((name) => name !== kind))
        expect(await execute(context, showHook, { kind: other })).toMatchObject({
          state: 'not_installed',
        })
      expect(await execute(context, removeHook, { kind })).toMatchObject({ state: 'not_installed' })
      expect(readdirSync(folder)).toEqual(before)
    },
  )

  it('is the same as the commands of sync and code', async () => {
    await using test = await setup()
    const { context } = test
    const texts = () =>
      [...KINDS.sync, ...KINDS.code].map((name) => readFileSync(test.file(name), 'utf8'))
    await execute(context, addHook, { kind: 'sync' })
    await execute(context, addHook, { kind: 'code' })
    const installed = texts()
    expect(await execute(context, showHooks, {})).toEqual({
      hooks: CODE_HOOKS.map((hook) => ({ hook, state: 'installed' })),
    })
    expect(await execute(context, hookSync, {})).toEqual({
      installed: KINDS.sync,
      remote: 'origin',
    })
    await execute(context, installCodeHooks, {})
    expect(texts()).toEqual(installed)
    await execute(context, unhookSync, {})
    await execute(context, uninstallCodeHooks, {})
    for (const kind of NAMES)
      expect(await execute(context, showHook, { kind })).toMatchObject({ state: 'not_installed' })
  })

  it('without a kind means the snapshot, and has one path', async () => {
    await using test = await setup()
    const path = test.file('pre-commit')
    expect(await execute(test.context, addHook, {})).toEqual({ state: 'installed', path })
  })

  it('takes a remote for sync only, and a hook in another language is named for every kind', async () => {
    await using test = await setup()
    const { context } = test
    await expect(
      execute(context, addHook, { kind: 'code', remote: 'origin' }),
    ).rejects.toMatchObject({ code: 'invalid_input', details: { field: 'remote' } })
    for (const kind of NAMES) {
      writeFileSync(test.file(KINDS[kind][0]), '#!/usr/bin/env python3\n')
      expect(await execute(context, showHook, { kind })).toMatchObject({ state: 'foreign' })
    }
    await expect(execute(context, addHook, { kind: 'sync' })).rejects.toMatchObject({
      code: 'conflict',
      details: { reason: 'foreign_hook', hook: 'post-merge' },
    })
    expect(existsSync(test.file('pre-push'))).toBe(false)
  })

  it('a hook that was switched off stays off with sync, and gets its mode back from code', async () => {
    await using test = await setup()
    const { context } = test
    for (const name of ['pre-push', 'post-commit']) {
      writeFileSync(test.file(name), '#!/bin/sh\necho mine\n')
      chmodSync(test.file(name), 0o644)
    }
    const modes = () =>
      ['pre-push', 'post-commit'].map((name) => statSync(test.file(name)).mode & 0o777)
    await execute(context, addHook, { kind: 'sync' })
    await execute(context, addHook, { kind: 'code' })
    expect(modes()).toEqual([0o644, 0o755])
    await execute(context, removeHook, { kind: 'code' })
    expect(modes()).toEqual([0o644, 0o644])
  })
})

describe('lines that earlier versions wrote', () => {
  const SYNC = `# waymark:begin sync; removed by \`waymark sync unhook\`
if command -v waymark >/dev/null 2>&1; then
  waymark sync --no-push -- 'origin' </dev/null >/dev/null 2>&1 || true
fi
# waymark:end
`
  const MADE = SYNC.replace('unhook`', 'unhook`; this file was made for it')
  const SNAPSHOT = `#!/bin/sh
# waymark: snapshot hook
# Written by \`waymark hook install\`, removed by \`waymark hook uninstall\`.
before="$(dirname "$0")/pre-commit.backup"
if [ -x "$before" ]; then "$before" "$@" || exit $?; fi
waymark snapshot >/dev/null || {
  exit 1
}
if [ -d '.waymark/snapshot' ]; then git add -- '.waymark/snapshot'; fi
`
  const OWN = '#!/bin/bash\n\necho mine\nexit 0\n'
  const CASES = [
    ['sync', 'post-merge', `#!/bin/sh\n${MADE}`, undefined],
    ['sync', 'post-merge', OWN.replace('\n', `\n${SYNC}`), OWN],
    ['snapshot', 'pre-commit', SNAPSHOT, undefined],
  ] as const

  it.each(CASES)('of kind %s are installed, and removed exactly', async (kind, name, text, own) => {
    for (const isRenewed of [false, true]) {
      await using test = await setup()
      const { context } = test
      writeFileSync(test.file(name), text, { mode: 0o755 })
      const status = await execute(context, showHook, { kind })
      if (kind === 'snapshot') expect(status).toMatchObject({ state: 'installed' })
      else expect(status.hooks).toContainEqual({ hook: name, state: 'installed' })
      if (isRenewed) {
        await execute(context, addHook, { kind })
        const renewed = readFileSync(test.file(name), 'utf8')
        expect(renewed).toContain(`# >>> waymark ${kind}`)
        expect(renewed).not.toMatch(/waymark:begin|snapshot hook/)
      }
      await execute(context, removeHook, { kind })
      expect(existsSync(test.file(name)) ? readFileSync(test.file(name), 'utf8') : undefined).toBe(
        own,
      )
    }
  })

  it('of the snapshot give back the hook that they had moved aside', async () => {
    await using test = await setup()
    writeFileSync(test.file('pre-commit'), SNAPSHOT, { mode: 0o755 })
    writeFileSync(test.file('pre-commit.backup'), OWN, { mode: 0o755 })
    await execute(test.context, removeHook, {})
    expect(readFileSync(test.file('pre-commit'), 'utf8')).toBe(OWN)
    expect(existsSync(test.file('pre-commit.backup'))).toBe(false)
  })
})
