import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { createProject, type TestProject } from './project.ts'

const WAYMARK = fileURLToPath(new URL('../../../waymark/bin/waymark.js', import.meta.url))

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

it('the official Inspector shows each view in its sandbox, and a click there changes the project [apps-inspector]', async () => {
  await using project = await createProject()
  writeFileSync(join(project.directory, 'pay.ts'), 'export function pay() {\n  return 3\n}\n')
  execFileSync('git', ['add', '.'], { cwd: project.directory })
  execFileSync('git', ['commit', '--quiet', '-m', 'Pay'], { cwd: project.directory })
  const regions = [{ file: 'pay.ts', anchor: 'pay', intent: 'The bank allows three tries' }]
  await project.run('code', 'annotate', '--input', JSON.stringify({ summary: 'Pay', regions }))
  await project.run('task', 'add', 'Take payments', '--needs-verification')
  await project.run('task', 'add', 'Store the cart')
  await project.run('task', 'claim', '1', '--actor', 'ada')
  await project.run('task', 'complete', '1', '--actor', 'ada')
  await using inspector = await startInspector(project)
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('console', (message) => {
    const isOfView = message.location().url.startsWith('about:srcdoc')
    if (isOfView && message.type() === 'error') problems.push(message.text())
  })
  await page.goto(inspector.url)
  await page.getByRole('switch').first().click({ force: true })
  await page.getByText('Apps', { exact: true }).click()
  await page.getByText('MCP Apps (3)').waitFor()
  const open = async (name: string, path?: string) => {
    await page.getByRole('button', { name }).click()
    if (path !== undefined) await page.getByRole('textbox', { name: /path/i }).fill(path)
    await page.getByRole('button', { name: 'Open App' }).click()
    return page.frameLocator('iframe').frameLocator('iframe')
  }
  const board = await open('show_board')
  await board.getByRole('region', { name: 'Ready' }).getByText('Store the cart').waitFor()
  await board.getByRole('button', { name: 'Verify' }).click()
  await board.getByRole('region', { name: 'Done' }).getByText('Take payments').waitFor()
  expect(await project.run('event', 'list', '--type', 'task.verified')).toContain('mcp-inspector')
  const brief = await open('show_brief')
  await brief.getByRole('region', { name: 'Ready' }).getByText('Store the cart').waitFor()
  const why = await open('show_why', 'pay.ts')
  await why.getByText('The bank allows three tries').waitFor()
  expect(problems).toEqual([])
  await page.close()
})

/** Its web client, which connects to `waymark serve` of the project. It needs no network. */
async function startInspector(project: TestProject) {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@modelcontextprotocol/inspector/package.json')
  const { bin } = require(manifest) as { bin: Record<string, string> }
  const home = mkdtempSync(join(tmpdir(), 'waymark-inspector-'))
  const serve = [process.execPath, WAYMARK, 'serve']
  const words = ['--web', '--cwd', project.directory, ...serve]
  const child = spawn(
    process.execPath,
    [join(dirname(manifest), bin['inspector'] ?? ''), ...words],
    {
      cwd: project.directory,
      env: {
        ...process.env,
        HOME: home,
        MCP_AUTO_OPEN_ENABLED: 'false',
        MCP_INSPECTOR_SECRET_STORE: 'memory',
        CLIENT_PORT: String(await freePort()),
        MCP_SANDBOX_PORT: String(await freePort()),
        MCP_APP_ORIGIN_PORT: String(await freePort()),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += String(chunk)
      const [found] = /http:\/\/127\S+TOKEN=\w+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`the Inspector ended: ${said}`)))
  })
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
