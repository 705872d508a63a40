import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const PROCESSES = 2

/** Has a browser for this system only; others use an installed one. */
const IS_PACKAGED = process.platform === 'linux' && process.arch === 'x64'

const SCRIPT = `
import { execFileSync } from 'node:child_process'
const { unpackChromium } = await import('${new URL('unpack-chromium.ts', import.meta.url).href}')
const { executablePath, libraries } = await unpackChromium()
const env = { ...process.env, LD_LIBRARY_PATH: libraries }
process.stdout.write(execFileSync(executablePath, ['--version'], { env }))`

let folder = ''
afterEach(async () => rm(folder, { recursive: true, force: true }))

test.skipIf(!IS_PACKAGED)(
  'two processes start the browser of the packages at once on a fresh machine [page-browser-unpacked-once]',
  async () => {
    folder = await mkdtemp(join(tmpdir(), 'waymark-unpack-'))
    const printed = await Promise.all(Array.from({ length: PROCESSES }, () => startIn(folder)))
    for (const text of printed) expect(text).toMatch(/^[\w ]+ \d+\.\d+\.\d+/)
    const unpacked = (await readdir(folder)).filter((name) => name.startsWith('waymark-chromium-'))
    expect(unpacked).toHaveLength(1)
  },
)

/** What a process with this temp folder prints: the version of the browser, or why there is none. */
async function startIn(temp: string): Promise<string> {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', SCRIPT]
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: temp } })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  await new Promise((resolve) => child.once('close', resolve))
  return printed
}
