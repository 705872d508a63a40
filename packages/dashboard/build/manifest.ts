import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { toNotices } from '../../../scripts/notices.ts'

/** One file of the page as the server sends it. */
interface ManifestFile {
  readonly type: string
  readonly bytes: number
  readonly sha256: string
  /** Whether the name contains a hash of the content. */
  readonly isImmutable: boolean
  /** Compressed copies beside it, the best first. */
  readonly encodings: readonly ('br' | 'gzip')[]
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The last two of eleven steps take ten times as long for a hundredth of the size. */
const BROTLI_QUALITY = 9

/** Writes `manifest.json`, the list of what the server may send, and compressed copies of each file, and the licences of bundled code. */
export function writeManifest(): Plugin {
  let folder = ''
  let moduleIds: readonly string[] = []
  return {
    name: 'waymark-manifest',
    apply: 'build',
    configResolved: ({ root, build }) => void (folder = join(root, build.outDir)),
    generateBundle: (_, bundle) => {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      moduleIds = chunks.flatMap((chunk) => chunk.moduleIds)
    },
    closeBundle: () => {
      const files = Object.fromEntries(
        listFiles(folder).map((path) => [path, toFile(folder, path)]),
      )
      writeFileSync(join(folder, 'NOTICE.md'), toNotices(moduleIds))
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
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  writeFileSync(join(folder, `${path}.br`), brotliCompressSync(bytes, { params }))
  writeFileSync(
    join(folder, `${path}.gz`),
    gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
  )
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isImmutable: path.startsWith('assets/'),
    encodings: ['br', 'gzip'],
  }
}
