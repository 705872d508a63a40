import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifestErrors } from '../docs/mcpb-manifest.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGES = {
  waymark: 'waymark',
  '@waymark/baton': 'baton',
  '@waymark/cas': 'cas',
  '@waymark/sqlite': 'sqlite',
}

interface Sbom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly { readonly name: string; readonly version?: string }[]
}

/** The files of a zip archive, by path, read from its entries. */
function unzip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>()
  let at = 0
  while (archive.readUInt32LE(at) === 0x04034b50) {
    const [size, named] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)]
    const data = at + 30 + named + archive.readUInt16LE(at + 28)
    const path = archive.subarray(at + 30, at + 30 + named).toString()
    files.set(path, inflateRawSync(archive.subarray(data, data + size)))
    at = data + size
  }
  return files
}

describe('a release', () => {
  const out = mkdtempSync(join(tmpdir(), 'waymark-release-'))
  const read = (name: string): string => readFileSync(join(out, name), 'utf8')
  const stemOf = (name: keyof typeof PACKAGES): string => {
    const manifest = readFileSync(join(ROOT, 'packages', PACKAGES[name], 'package.json'), 'utf8')
    const { version } = JSON.parse(manifest) as { readonly version: string }
    return `${name.replace('@', '').replace('/', '-')}-${version}`
  }
  const sbomOf = (name: keyof typeof PACKAGES): Sbom =>
    JSON.parse(read(`${stemOf(name)}.cdx.json`)) as Sbom

  beforeAll(async () => {
    const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs')
    const args = ['--conditions=@waymark/source', join(ROOT, 'scripts/release.ts')]
    const options = ['--out', out, '--allow-changes']
    await promisify(execFile)(process.execPath, [tsx, ...args, ...options], { cwd: ROOT })
  })
  afterAll(() => rmSync(out, { recursive: true }))

  it('has a tarball and a valid CycloneDX bill of materials for each package', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    for (const name of Object.keys(PACKAGES) as (keyof typeof PACKAGES)[]) {
      expect(readdirSync(out)).toContain(`${stemOf(name)}.tgz`)
      expect(await validator.validate(read(`${stemOf(name)}.cdx.json`))).toBeNull()
    }
    expect(await validator.validate('{"bomFormat":"CycloneDX"}')).not.toBeNull()
  })

  it('has an MCP bundle whose own manifest is valid and names only files that are in it', () => {
    const files = unzip(readFileSync(join(out, `${stemOf('waymark')}.mcpb`)))
    const text = files.get('manifest.json')?.toString() ?? 'null'
    const manifest = JSON.parse(text) as {
      readonly icon?: string
      readonly server: { readonly entry_point: string; readonly mcp_config: { args: string[] } }
    }
    expect(manifestErrors(manifest)).toEqual([])
    const { entry_point: entry, mcp_config: config } = manifest.server
    const own = config.args.flatMap((word) => /^\$\{__dirname\}\/(.*)$/.exec(word)?.[1] ?? [])
    expect(own).toEqual([entry])
    const named = [entry, ...(manifest.icon === undefined ? [] : [manifest.icon])]
    expect(named.filter((path) => !files.has(path))).toEqual([])
  })

  it('has an MCP bundle that runs with nothing beside it, on each system [mcpb-runs]', async () => {
    const files = unzip(readFileSync(join(out, `${stemOf('waymark')}.mcpb`)))
    const systems = [...files.keys()].flatMap((path) => /prebuilds\/([^/]+)/.exec(path)?.[1] ?? [])
    for (const system of ['darwin-arm64', 'linux-x64', 'win32-x64'])
      expect(systems).toContain(system)
    const folder = mkdtempSync(join(tmpdir(), 'waymark-mcpb-'))
    for (const [path, bytes] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
      readonly server: { readonly entry_point: string }
    }
    const run = async (...args: readonly string[]) =>
      await promisify(execFile)(process.execPath, [
        join(folder, manifest.server.entry_point),
        '-C',
        folder,
        ...args,
      ])
    await promisify(execFile)('git', ['init', '--quiet', folder])
    await run('init')
    await run('add', 'note', 'From a bundle')
    expect((await run('list')).stdout).toContain('From a bundle')
    rmSync(folder, { recursive: true, maxRetries: 10 })
  })

  it('lists every package that is installed with it or bundled into it, and every parser', () => {
    const parts = sbomOf('waymark').components.map(
      ({ name, version }) => `${name} ${version ?? ''}`,
    )
    const notices = readFileSync(join(ROOT, 'packages/waymark/dist/bin/NOTICE.md'), 'utf8')
    const bundled = [...notices.matchAll(/^## (.*)$/gm)]
      .flatMap(([, heading = '']) => heading.split(', '))
      .map((entry) => entry.replace(/ \(.*$/, ''))
    expect(bundled).not.toEqual([])
    expect(parts).toEqual(expect.arrayContaining(bundled))
    expect(parts).toEqual(
      expect.arrayContaining(['loro-crdt 1.17.1', '@photostructure/sqlite 1.2.1']),
    )
    const grammars = readdirSync(join(ROOT, 'packages/waymark/grammars'))
    for (const file of grammars.filter((name) => name.endsWith('.wasm.gz'))) {
      expect(parts).toContain(`${file.replace(/\.gz$/, '')} `)
    }
    expect(sbomOf('@waymark/baton').components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['hono', 'jose', 'zod']),
    )
  })

  it('has checksums of every file, and a provenance statement over the same digests', () => {
    const digests = new Map(
      read('SHA256SUMS')
        .trim()
        .split('\n')
        .map((line) => line.split('  ').toReversed() as [string, string]),
    )
    const files = readdirSync(out).filter((name) => /\.(?:tgz|mcpb|cdx\.json)$/.test(name))
    expect([...digests.keys()].toSorted()).toEqual(files.toSorted())
    for (const [name, digest] of digests) {
      const actual = createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')
      expect(digest).toBe(actual)
    }
    const { subject } = JSON.parse(read('provenance.intoto.json')) as {
      readonly subject: readonly { readonly name: string; readonly digest: { sha256: string } }[]
    }
    expect(new Map(subject.map(({ name, digest }) => [name, digest.sha256]))).toEqual(digests)
  })
})

it('the notice beside the parsers has the copyright of each and the text of its licence', () => {
  const folder = join(ROOT, 'packages/waymark/grammars')
  const notice = readFileSync(join(folder, 'NOTICE'), 'utf8')
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.wasm.gz'))) {
    const name = file.replace(/\.gz$/, '')
    expect(notice).toMatch(new RegExp(`^${name}: .*\\nCopyright \\(c\\) \\d{4}`, 'm'))
  }
  expect(notice).toContain('Permission is hereby granted, free of charge')
  expect(notice).toContain('THE SOFTWARE IS PROVIDED "AS IS"')
})
