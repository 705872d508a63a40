import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { ZippedFile } from './zip.ts'

/** Installed packages that the command loads, and their parts that it does without: sources, and builds for browsers. */
const INSTALLED: Readonly<Record<string, RegExp>> = {
  '@photostructure/sqlite': /^(?:src|scripts)\/|^binding\.gyp$|\.map$/,
  'node-gyp-build': /^$/,
  'loro-crdt': /^(?:base64|browser|bundler|web)\/|\.map$/,
}

/**
 * The files of an MCP bundle: the package as npm has it, its manifest and what is installed with it. The driver brings a
 * compiled part for each system, so one bundle serves all.
 */
export function bundleFiles(root: string, packed: readonly string[]): readonly ZippedFile[] {
  const own = join(root, 'packages', 'waymark')
  const take = (folder: string, path: string, name = path): ZippedFile => ({
    path: name,
    bytes: readFileSync(join(folder, path)),
  })
  return [
    take(own, 'manifest.json'),
    ...packed.map((path) => take(own, path)),
    ...Object.entries(INSTALLED).flatMap(([name, unused]) => {
      const folder = join(root, 'node_modules', name)
      return filesIn(folder)
        .filter((path) => !unused.test(path))
        .map((path) => take(folder, path, `node_modules/${name}/${path}`))
    }),
  ]
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted()
}
