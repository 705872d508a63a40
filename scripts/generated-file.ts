import { readFileSync, writeFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

export function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8')
}

/** Writes a file of the repository; with `--check` it only compares. */
export function put(path: string, text: string): void {
  if (!process.argv.includes('--check')) {
    writeFileSync(new URL(path, ROOT), text)
  } else if (read(path) !== text) {
    console.error(`${path} is stale; run \`npm run generate\``)
    process.exitCode = 1
  }
}
