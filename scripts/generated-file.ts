import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)
const isCheck = process.argv.includes('--check')

export function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

/** Writes a file of the repository; with `--check` it only compares. */
export function put(path: string, text: string): void {
  const url = new URL(path, ROOT)
  if (!isCheck) {
    mkdirSync(new URL('./', url), { recursive: true })
    writeFileSync(url, text)
  } else if (!existsSync(url) || read(path) !== text) {
    refuse(path)
  }
}

/** Writes all files of a folder but its README, and removes others; with `--check` it only compares. */
export function putFolder(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) put(`${folder}/${path}`, text)
  const top = fileURLToPath(new URL(folder, ROOT))
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const path = relative(top, file).replaceAll(sep, '/')
    if (entry.isDirectory() || path === 'README.md' || Object.hasOwn(files, path)) continue
    if (isCheck) refuse(`${folder}/${path}`)
    else rmSync(file)
  }
}

function refuse(path: string): void {
  console.error(`${path} is stale; run \`npm run generate\``)
  process.exitCode = 1
}
