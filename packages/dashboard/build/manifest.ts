import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** One file of the page as the server sends it. `gzip` names the compressed copy, `immutable` those with a hash in their name. */
interface ManifestFile {
  readonly type: string
  readonly bytes: number
  readonly sha256: string
  readonly immutable: boolean
  readonly gzip?: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Writes `manifest.json`, the list of what the server may send, and a compressed copy of each file. */
export function writeManifest(): Plugin {
  let folder = ''
  return {
    name: 'waymark-manifest',
    apply: 'build',
    configResolved: ({ root, build }) => void (folder = join(root, build.outDir)),
    closeBundle: () => {
      const files = Object.fromEntries(listFiles(folder).map((path) => [path, toFile(folder, path)]))
      writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify({ files }, null, 1)}\n`)
    },
  }
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .toSorted()
}

function toFile(folder: string, path: string): ManifestFile {
  const bytes = readFileSync(join(folder, path))
  const compressed = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION })
  writeFileSync(join(folder, `${path}.gz`), compressed)
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    immutable: path.startsWith('assets/'),
    gzip: `${path}.gz`,
  }
}
