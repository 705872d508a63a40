import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOSTS } from '../../src/install/hosts/hosts.ts'
import { machineOf, toPath } from '../../src/install/machine/machine.ts'
import { locate } from '../../src/install/target.ts'
import { createHome } from './home.ts'

const HOOKS = HOSTS.flatMap(({ name, title, hook }) =>
  (['project', 'global'] as const)
    .filter((scope) => hook?.files[scope] !== undefined)
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
    expect(text).toContain('prime --hook')
    if (content.includes('\r\n')) expect(text.replaceAll('\r\n', '')).not.toContain('\n')
    const after = home.files()
    await home.install([name], options)
    expect(home.files()).toEqual(after)
    await home.install([name], { ...options, uninstall: true })
    expect(home.read(file).toString('utf8')).not.toContain('prime --hook')
    await home.install([name], { global: options.global, uninstall: true })
    expect(home.files()).toEqual(before)
  })
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
