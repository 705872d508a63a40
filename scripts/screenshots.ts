// Takes the pictures of the README from the real page of the demo project.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { launchBrowser } from '../packages/dashboard/test/page/browser.ts'
import { waymark } from './demo/agent.ts'
import { fillDemoProject } from './demo/project.ts'

const FOLDER = new URL('../docs/pictures/', import.meta.url)
const PICTURES = [
  { name: 'now', path: '/', colorScheme: 'light', shows: '#drifted-work' },
  { name: 'board', path: '/board', colorScheme: 'dark', shows: '.card' },
] as const

const top = mkdtempSync(join(tmpdir(), 'waymark-pictures-'))
// The folder names the project.
const directory = join(top, 'shop')
mkdirSync(directory)
mkdirSync(FOLDER, { recursive: true })
const project = await fillDemoProject(directory)
const server = spawn(process.execPath, [waymark, 'ui', '--no-open', '--json'], {
  cwd: directory,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
const { url } = JSON.parse(String((await lines.next()).value)) as { url: string }
const browser = await launchBrowser()
const context = await browser.newContext({ viewport: { width: 1440, height: 820 } })
const page = await context.newPage()
await page.goto(url)
await page.locator('#view').waitFor()
for (const { name, path, colorScheme, shows } of PICTURES) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto(`${new URL(url).origin}/ui${path}`)
  await page.locator('.rail .agent-line').first().waitFor()
  await page.locator(shows).first().waitFor()
  await page.screenshot({ path: new URL(`${name}.png`, FOLDER).pathname })
}
await browser.close()
server.kill()
project.stop()
rmSync(top, { recursive: true, force: true, maxRetries: 5 })
