import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/install/format/formats.ts'
import type { Host, Scope } from '../../src/install/hosts/host.ts'
import { HOSTS } from '../../src/install/hosts/hosts.ts'
import { machineOf } from '../../src/install/machine/machine.ts'
import { locate, serverEdit } from '../../src/install/target.ts'
import { decode } from '../../src/install/text.ts'
import { createHome, type Home } from './home.ts'

const LINUX = machineOf({ HOME: '/home/user' }, 'linux')

const PLACES = HOSTS.flatMap((host) =>
  (['project', 'global'] as const)
    .filter(
      (scope) => locate(host.files, { machine: LINUX, scope, root: '/project' }) !== undefined,
    )
    .map((scope) => ({ host, scope, title: `${host.title}, ${scope}` })),
)

/** What may be in a file before us, in the words of its format. */
const CONTENTS = {
  json: {
    'comments and other servers': (key: string) =>
      `// mine\n{\n  "${key}": {\n    /* first */ "other": { "command": "x", "args": [] }, // last\n  },\n  "z": [1,2]\n}`,
    'nothing but an object': () => '{}',
    'CRLF and a byte order mark': (key: string) =>
      `\uFEFF{\r\n\t"a": true,\r\n\t"${key}": {\r\n\t\t"other": {}\r\n\t}\r\n}\r\n`,
    'our name, taken by someone else': (key: string) =>
      `{"${key}":{"waymark":{"command":"elsewhere","args":["x"]},"b":{}}}`,
  },
  toml: {
    'comments and other servers': (key: string) =>
      `# mine\nmodel = "m"   # best\n\n[${key}.other]\ncommand = "x"\n\n# the end`,
    'nothing but a comment': () => '# nothing yet',
    'CRLF and a byte order mark': (key: string) =>
      `\uFEFFa = 1\r\n[${key}.other]\r\ncommand = 'x'\r\n`,
    'our name, taken by someone else': (key: string) =>
      `[${key}.waymark]\ncommand = "elsewhere"\n[${key}.waymark.env]\nA = "1"\n\n[b]\n`,
  },
  yaml: {
    'comments and other servers': (key: string) =>
      `# mine\nA: "x"\n${key}:\n  # first\n  other:\n    cmd:   x\n    args: [ ]\n\n# the end\nZ: 1`,
    'nothing but a comment': () => '# nothing yet',
    'CRLF and a byte order mark': (key: string) =>
      `\uFEFFa: 1\r\n${key}:\r\n    other:\r\n        cmd: x\r\n`,
    'our name, taken by someone else': (key: string) =>
      `${key}:\n  waymark:\n    cmd: elsewhere\n  b: {}\n`,
  },
  list: {
    'comments and other servers': (key: string) =>
      `# mine\nname: x\n${key}:\n  # first\n  - name: other\n    command:   x\n    args: [ ]\n\n# the end\nz: 1`,
    'an empty list': (key: string) => `${key}: [] # none yet\n`,
    'elements at the level of their key': (key: string) =>
      `${key}:\n- name: other\n  command: x\nz: 1\n`,
    'CRLF and a byte order mark': (key: string) =>
      `\uFEFFa: 1\r\n${key}:\r\n    - name: other\r\n      command: x\r\n`,
    'our name, taken by someone else': (key: string) =>
      `${key}:\n  - name: waymark\n    command: elsewhere\n  - name: b\n`,
  },
  section: {},
  file: {},
} as const

/** Every kind of file that the host may find, and `undefined` for none. */
function contentsFor({ format, key, isListed }: Host): [string, string | undefined][] {
  const own = Object.entries(CONTENTS[isListed === true ? 'list' : format]).map(
    ([name, make]): [string, string] => [name, (make as (key: string) => string)(key)],
  )
  return [['no file', undefined], ['an empty file', ''], ...own]
}

function fileOf(host: Host, scope: Scope, { env, root }: Home): string {
  return locate(host.files, { machine: machineOf(env), scope, root }) ?? ''
}

function entryIn(host: Host, bytes: Buffer): unknown {
  return FORMATS[host.format].find(decode(bytes).text, serverEdit(host, null))
}

describe.each(PLACES)('$title', ({ host, scope }) => {
  const options = { global: scope === 'global' }

  it.each(contentsFor(host))(
    '%s is the same, byte for byte, after install and uninstall',
    async (name, content) => {
      await using home = await createHome()
      const file = fileOf(host, scope, home)
      if (content !== undefined) home.write(file, content)
      const before = home.files()
      const isTaken = name.startsWith('our name')

      if (isTaken) {
        const refused = await home.install([host.name], options)
        expect(refused).toMatchObject({ exit: 4, err: expect.stringContaining('--force') })
        expect(home.files()).toEqual(before)
      }
      const installed = await home.install([host.name], { ...options, force: isTaken })
      expect(installed).toMatchObject({ exit: 0, err: expect.stringMatching(/^Next:\n/) })
      expect(installed.out).toMatch(/^added\t/)
      const entry = entryIn(host, home.read(file))
      expect(JSON.stringify(entry)).toContain('serve')

      const after = home.files()
      expect((await home.install([host.name], { ...options, force: isTaken })).out).toMatch(
        /^unchanged\t/,
      )
      expect(home.files()).toEqual(after)
      if (content?.includes('\r\n') === true) {
        expect(home.read(file).toString('utf8').replaceAll('\r\n', '')).not.toContain('\n')
      }

      const removed = await home.install([host.name], { ...options, uninstall: true })
      expect(removed).toMatchObject({ exit: 0, err: '' })
      expect(home.files()).toEqual(before)
      expect(await home.install([host.name], { ...options, uninstall: true })).toMatchObject({
        exit: 0,
        out: isTaken
          ? expect.stringContaining('absent')
          : expect.stringMatching(/^(?:absent\t.*\n)+$/),
      })
      expect(home.files()).toEqual(before)
    },
  )

  it('a dry run shows the change and makes none', async () => {
    await using home = await createHome()
    const before = home.files()
    const { exit, out } = await home.install([host.name], { ...options, dryRun: true })
    expect(exit).toBe(0)
    expect(out).toContain('--- /dev/null\n')
    expect(out).toMatch(/^\+.*waymark/m)
    expect(out).toContain('would be added')
    expect(home.files()).toEqual(before)
  })

  it('a file that cannot be read is refused and stays as it is', async () => {
    await using home = await createHome()
    const file = fileOf(host, scope, home)
    home.write(file, '{ "unfinished: [\n')
    const before = home.files()
    const { exit, err } = await home.install([host.name], options)
    expect([exit, err]).toEqual([
      2,
      expect.stringMatching(/is not valid \w+ at line \d+, column \d+: /),
    ])
    expect(home.files()).toEqual(before)
  })
})
