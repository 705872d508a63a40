import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as CDX from '@cyclonedx/cyclonedx-library'
import { GRAMMARS, sha256Of, versionOf } from '../grammars.ts'
import { bundledPackages } from '../notices.ts'

const SPEC_VERSION = CDX.Spec.Version.v1dot6

/** An npm package that the release contains or installs. */
interface Part {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly integrity?: string | undefined
}

interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Lock = Readonly<Record<string, LockEntry>>

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * The bill of materials of a package: what npm installs with it, the packages whose code is in its bundle, and the
 * parsers it ships.
 */
export function toSbom(root: string, folder: string, at: Date): string {
  const manifest = readJson<Manifest>(join(root, folder, 'package.json'))
  const lock = readJson<{ readonly packages: Lock }>(join(root, 'package-lock.json')).packages
  const bom = new CDX.Models.Bom({ metadata: new CDX.Models.Metadata({ timestamp: at }) })
  const main = toComponent(manifest, { type: CDX.Enums.ComponentType.Application })
  bom.metadata.component = main
  const installed = installedWith(manifest, lock, folder)
  const bundled = bundledIn(join(root, folder), lock)
  for (const part of [...installed, ...bundled]) {
    const component = toComponent(part, { isBundled: bundled.includes(part) })
    bom.components.add(component)
    main.dependencies.add(component.bomRef)
  }
  const grammars = manifest.name === 'waymark' ? toGrammarComponents() : []
  for (const component of grammars) {
    bom.components.add(component)
    main.dependencies.add(component.bomRef)
  }
  const factory = new CDX.Serialize.JSON.Normalize.Factory(CDX.Spec.SpecVersionDict[SPEC_VERSION]!)
  return new CDX.Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })
}

/** The packages that npm puts beside this one, found as Node finds them. */
function installedWith(manifest: Manifest, lock: Lock, folder: string): readonly Part[] {
  const found = new Map<string, Part>()
  const waiting = Object.keys(manifest.dependencies ?? {}).map((name) => ({ name, from: folder }))
  for (const { name, from } of waiting) {
    const place = findInstalled(lock, name, from)
    const entry = place === undefined ? undefined : lock[place]
    // An optional dependency of another platform is not in the lock file.
    if (place === undefined || entry?.version === undefined || found.has(place)) continue
    const { version, license = 'NOASSERTION', integrity } = entry
    found.set(place, { name, version, license, integrity })
    const needed = { ...entry.dependencies, ...entry.optionalDependencies }
    waiting.push(...Object.keys(needed).map((each) => ({ name: each, from: place })))
  }
  return [...found.values()]
}

function findInstalled(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = [...(folder === '' ? [] : [folder]), 'node_modules', name].join('/')
    if (place in lock) return place
    if (folder === '') return undefined
  }
}

function bundledIn(folder: string, lock: Lock): readonly Part[] {
  const file = join(folder, 'dist', 'bundle.json')
  if (!existsSync(file)) return []
  const modules = Object.values(readJson<Record<string, readonly string[]>>(file)).flat()
  return bundledPackages(modules.map((path) => join(folder, path))).map((part) => {
    const { name, version, license } = part
    const entries = Object.entries(lock).filter(([place]) => place.endsWith(`node_modules/${name}`))
    const [, entry] = entries.find(([, each]) => each.version === version) ?? []
    return { name, version, license, integrity: entry?.integrity }
  })
}

function toComponent(
  { name, version, license, integrity }: Part,
  options: { readonly type?: CDX.Enums.ComponentType; readonly isBundled?: boolean },
): CDX.Models.Component {
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
  const component = new CDX.Models.Component(
    options.type ?? CDX.Enums.ComponentType.Library,
    name,
    { bomRef: purl, version, purl },
  )
  component.licenses.add(new CDX.Models.LicenseExpression(license))
  const [algorithm, digest] = integrity?.split('-', 2) ?? []
  if (algorithm === 'sha512' && digest !== undefined) {
    component.hashes.set(
      CDX.Enums.HashAlgorithm['SHA-512'],
      Buffer.from(digest, 'base64').toString('hex'),
    )
  }
  if (options.isBundled === true) {
    component.properties.add(new CDX.Models.Property('waymark:bundled', 'true'))
  }
  return component
}

function toGrammarComponents(): readonly CDX.Models.Component[] {
  return GRAMMARS.map((grammar) => {
    const component = new CDX.Models.Component(
      CDX.Enums.ComponentType.File,
      `${grammar.name}.wasm`,
      {
        bomRef: `grammar:${grammar.name}`,
        description: `${grammar.project}, from ${grammar.from} ${versionOf(grammar)}`,
        copyright: grammar.copyright.map((line) => `Copyright (c) ${line}`).join('\n'),
      },
    )
    component.licenses.add(new CDX.Models.LicenseExpression('MIT'))
    component.hashes.set(CDX.Enums.HashAlgorithm['SHA-256'], sha256Of(grammar))
    return component
  })
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}
