import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { unpackChromium } from './unpack-chromium.ts'

/** Browsers of the system, in the order in which they are tried. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/microsoft-edge',
]

/** The package's own list switches web security off, so it is not used. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-lcd-text',
]

/** A real Chromium: the one in `CHROME_PATH`, one of the system, or the one that comes with the packages. */
export async function launchBrowser(): Promise<Browser> {
  const installed = process.env['CHROME_PATH'] ?? INSTALLED.find((path) => existsSync(path))
  if (installed !== undefined)
    return await chromium.launch({ executablePath: installed, args: ARGUMENTS })
  const { executablePath, libraries } = await unpackChromium()
  const env = { ...process.env, LD_LIBRARY_PATH: libraries }
  return await chromium.launch({ executablePath, args: ARGUMENTS, env })
}
