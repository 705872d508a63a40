import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LabHost } from './host.ts'

export type Installed =
  | { readonly kind: 'installed'; readonly bin: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Installs a host from the registry into a folder that later runs use again. */
export function installHost({ id, packages, program }: LabHost): Installed {
  const shared = join(tmpdir(), 'waymark-hosts')
  const folder = join(shared, id)
  const bin = join(folder, 'node_modules', '.bin')
  const stamp = join(folder, 'installed')
  const wanted = packages.join(' ')
  mkdirSync(shared, { recursive: true, mode: 0o700 })
  if (!isOwn(shared)) return { kind: 'failed', reason: `${shared} can be changed by others` }
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return { kind: 'installed', bin }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Some hosts link their program in a script, which the settings of this repository forbid.
  const options = ['--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', ['install', ...options, ...packages], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) return { kind: 'failed', reason: errorIn(stderr) }
  if (!existsSync(join(bin, program))) return { kind: 'failed', reason: `no command ${program}` }
  writeFileSync(stamp, wanted)
  return { kind: 'installed', bin }
}

/** The temp folder is shared, and programs are run from here. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder)
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0
}

function errorIn(text: string): string {
  const lines = text.split('\n').filter((line) => line.startsWith('npm error'))
  return (lines[1] ?? lines[0] ?? text).replace('npm error ', '').trim()
}
