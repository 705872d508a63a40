import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)

interface Unpacked {
  readonly executablePath: string
  /** Shared libraries that a machine without a desktop lacks. */
  readonly libraries: string
}

/**
 * Unpacks the Chromium of the packages once per machine. The package itself writes to fixed names in the temp folder, where
 * a second process finds a file that is not complete or still open for writing (ETXTBSY). So each process unpacks to a
 * folder of its own and renames it: the first rename wins, the others find it done.
 */
export async function unpackChromium(): Promise<Unpacked> {
  const entry = require.resolve('@sparticuz/chromium')
  const folder = join(tmpdir(), `waymark-chromium-${await versionOf(entry)}`)
  if (!existsSync(folder)) await unpackTo(folder, entry)
  return { executablePath: join(folder, 'chromium'), libraries: join(folder, 'al2023', 'lib') }
}

async function unpackTo(folder: string, entry: string): Promise<void> {
  const own = await mkdtemp(`${folder}-`)
  try {
    // In a process of its own, which has closed every file when it ends, and whose temp folder can be chosen. The second
    // variable makes the package unpack the libraries, too.
    const script = `import(${JSON.stringify(pathToFileURL(entry).href)}).then(({ default: chromium }) => (chromium.default ?? chromium).executablePath())`
    const env = { ...process.env, TMPDIR: own, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }
    await promisify(execFile)(process.execPath, ['--eval', script], { env })
    await rename(own, folder)
  } catch (error) {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

async function versionOf(entry: string): Promise<string> {
  const manifest = join(dirname(entry), '..', '..', 'package.json')
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}
