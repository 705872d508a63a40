import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Host } from '../../src/install/hosts/host.ts'
import { HOSTS } from '../../src/install/hosts/hosts.ts'
import { machineOf } from '../../src/install/machine/machine.ts'
import { locate } from '../../src/install/target.ts'

const guide = readFileSync(
  fileURLToPath(new URL('../../../../docs/guides/install.md', import.meta.url)),
  'utf8',
)

const LINUX = machineOf({ HOME: '~' }, 'linux')
const WINDOWS = machineOf({ USERPROFILE: '%USERPROFILE%' }, 'win32')

function globalFile({ files }: Host): string {
  const wish = { scope: 'global', root: undefined } as const
  const path =
    locate(files, { ...wish, machine: LINUX }) ?? locate(files, { ...wish, machine: WINDOWS })
  return path === undefined ? '–' : `\`${path}\``
}

function projectFile({ files }: Host): string {
  if (Object.keys(files).length === 0) return 'printed, to be pasted'
  const [path] = Object.values(files.project ?? []) as string[]
  return path === undefined ? '–' : `\`${path}\``
}

function toRow(host: Host): string {
  const extras = [host.hook && '+hook', host.instructions?.project].filter(Boolean).join(', ')
  return `| \`${host.name}\` | ${host.title} | ${projectFile(host)} | ${globalFile(host)} | \`${host.key}\` | ${extras} |`
}

it('the guide lists every host with its files, as the table of hosts has them', () => {
  const table = [
    '| name | host | project | global (Linux) | key | |',
    '|---|---|---|---|---|---|',
    ...HOSTS.map(toRow),
  ].join('\n')
  const [, shown = ''] = /<!-- hosts -->\n([^]*)<!-- \/hosts -->/.exec(guide) ?? []
  expect(shown.trim()).toBe(table)
})
