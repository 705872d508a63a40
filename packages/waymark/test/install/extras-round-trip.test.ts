import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTS } from '../../src/install/hosts/hosts.ts'
import { machineOf, toPath } from '../../src/install/machine/machine.ts'
import { locate } from '../../src/install/target.ts'
import { createHome } from './home.ts'

const HOOKS = HOSTS.flatMap(({ name, title, hook }) =>
  (['project', 'global'] as const)
    .filter((scope) => hook?.edits !== undefined && hook.files[scope] !== undefined)
    .map((scope) => ({ name, scope, hook: hook?.files ?? {}, title: `${title}, ${scope}` })),
)

const SETTINGS: readonly [string, string][] = [
  ['an empty file', ''],
  [
    'comments and other hooks',
    '{\n  // mine\n  "version": 2,\n  "hooks": {\n    "SessionStart": [{ "hooks": [] }], // a\n    "sessionStart": [\n      { "command": "x" }, /* b */\n    ],\n  }\n}',
  ],
  ['CRLF', '{\r\n\t"hooks": {\r\n\t\t"Stop": []\r\n\t}\r\n}\r\n'],
]

describe.each(HOOKS)('the session hook of $title', ({ name, scope, hook }) => {
  const options = { global: scope === 'global', hooks: true }

  it.each(SETTINGS)('leaves %s as it was, byte for byte', async (_, content) => {
    await using home = await createHome()
    const file = locate(hook, { machine: machineOf(home.env), scope, root: home.root }) ?? ''
    home.write(file, content)
    const before = home.files()
    await home.install([name], options)
    const text = home.read(file).toString('utf8')
    expect(text).toContain('hook session-start --host')
    if (content.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    const after = home.files()
    await home.install([name], options)
    expect(home.files()).toEqual(after)
    await home.install([name], { ...options, uninstall: true })
    expect(home.read(file).toString('utf8')).not.toContain('hook session-start --host')
    await home.install([name], { global: options.global, uninstall: true })
    expect(home.files()).toEqual(before)
  })
})

const PROGRAMS = HOSTS.filter(({ hook }) => hook?.contents !== undefined)

describe.each(PROGRAMS)('the hook files of $title', ({ name, hook }) => {
  it.each(['project', 'global'] as const)(
    'are removed without a trace, and are not put over other files: %s',
    async (scope) => {
      await using home = await createHome()
      const options = { global: scope === 'global', hooks: true }
      const place = { machine: machineOf(home.env), scope, root: home.root }
      const folder = locate(hook?.files ?? {}, place) ?? ''
      await home.install([name], { global: true })
      const before = home.files()
      await home.install([name], options)
      const files = readdirSync(folder)
      expect(files).not.toEqual([])
      for (const file of files) {
        const text = home.read(join(folder, file)).toString('utf8')
        expect(text).toContain('Written by `waymark install')
        if (text.startsWith('#!')) expect(statSync(join(folder, file)).mode & 0o111).not.toBe(0)
      }
      await home.install([name], { ...options, uninstall: true })
      if (scope === 'project') await home.install([name], { uninstall: true })
      expect(home.files()).toEqual(before)
      const taken = join(folder, files[0] ?? '')
      home.write(taken, 'mine')
      const { out, err } = await home.install([name], options)
      expect(out + err).toContain('is not ours; --force')
      expect(home.read(taken).toString('utf8')).toBe('mine')
    },
  )
})

const INSTRUCTIONS = HOSTS.flatMap(({ name, title, instructions }) =>
  (['project', 'global'] as const)
    .filter((scope) => instructions?.[scope] !== undefined)
    .map((scope) => ({ name, scope, file: instructions?.[scope] ?? '', title })),
)

describe.each(INSTRUCTIONS)(
  'the instructions for $title, $scope',
  ({ name, scope, file: template }) => {
    const options = { global: scope === 'global' }

    it.each([
      ['no file', undefined],
      ['an empty file', ''],
      ['a text without a last line break', '# Mine\n\ntext'],
      ['CRLF and a byte order mark', '\uFEFF# Mine\r\n\r\ntext\r\n\r\n'],
    ])('leave %s as it was, byte for byte', async (_, content) => {
      await using home = await createHome()
      const file = options.global
        ? toPath(machineOf(home.env), template)
        : join(home.root, template)
      if (content !== undefined) home.write(file, content)
      const before = home.files()
      await home.install([name], { ...options, instructions: true })
      expect(home.read(file).toString('utf8')).toContain('`task_next`')
      await home.install([name], { ...options, uninstall: true })
      expect(home.files()).toEqual(before)
    })
  },
)
