// The licences in our packages: ours, and those of others whose code is in a bundle, as most ask of those who pass it on.
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

interface BundledPackage extends Manifest {
  readonly folder: string
}

const LEGAL_FILE = /^(licen[cs]e|copying|notice)\b/i
const BUNDLER = fileURLToPath(import.meta.resolve('rolldown'))

/** Puts our licence into a package: npm packs the one that lies there, and none from the folders above. */
export function copyLicense(folder: string): void {
  copyFileSync(new URL('../LICENSE', import.meta.url), join(folder, 'LICENSE'))
}

/** The packages whose code is in a bundle, by the ids that the bundler gives its modules. */
export function bundledPackages(ids: readonly string[]): readonly BundledPackage[] {
  // A module without a file is the bundler's own.
  const files = ids.map((id) => (id.includes('\0') ? BUNDLER : id))
  const folders = new Set(files.filter(isForeign).map((file) => folderOf(dirname(file))))
  return [...folders].map((folder) => ({ ...readManifest(folder)!, folder }))
}

/** The licence texts of the packages whose code is in a bundle. */
export function toNotices(ids: readonly string[]): string {
  const namesByText = new Map<string, string[]>()
  for (const { name, version, license, folder } of bundledPackages(ids)) {
    const text = legalTextOf(folder)
    if (text === '') throw new Error(`${name} ${version} (${license}) has no file with its licence`)
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${name} ${version} (${license})`])
  }
  const parts = [...namesByText]
    .map(([text, names]) => ({ text, names: [...new Set(names)].toSorted() }))
    .toSorted((one, other) => ((one.names[0] ?? '') < (other.names[0] ?? '') ? -1 : 1))
    .map(({ text, names }) => `## ${names.join(', ')}\n\n\`\`\`\n${text}\n\`\`\`\n`)
  return ['# Code of others in these files\n', ...parts].join('\n')
}

function isForeign(file: string): boolean {
  return file.split(sep).join('/').includes('/node_modules/')
}

/** The nearest folder that is a package; within one there may be manifests that only say what kind of modules these are. */
function folderOf(folder: string): string {
  const parent = dirname(folder)
  if (parent === folder) throw new Error('a module of a package lies outside of every package')
  return readManifest(folder) === undefined ? folderOf(parent) : folder
}

function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json')
  if (!existsSync(file)) return undefined
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Partial<Manifest>
  const { name, version, license = 'no licence named' } = manifest
  return name === undefined || version === undefined ? undefined : { name, version, license }
}

function legalTextOf(folder: string): string {
  return readdirSync(folder)
    .filter((name) => LEGAL_FILE.test(name))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n')
}
