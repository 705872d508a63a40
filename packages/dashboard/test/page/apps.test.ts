import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import axe from 'axe-core'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { HOSTILE } from './hostile-texts.ts'
import { createProject, type TestProject } from './project.ts'

const WAYMARK = fileURLToPath(new URL('../../../waymark/bin/waymark.js', import.meta.url))
const HOST = fileURLToPath(new URL('app-host.ts', import.meta.url))
const LARGEST = 20 * 1024
/** As many as a column of the view shows. */
const CARDS = 40

let browser: Browser
let hostScript = ''

beforeAll(async () => {
  browser = await launchBrowser()
  const { outputFiles } = await build({ entryPoints: [HOST], bundle: true, write: false })
  hostScript = outputFiles[0]?.text ?? ''
})

afterAll(async () => {
  await browser.close()
})

it('the board in a host shows the tasks, and what the person does there reaches the model [apps-board]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Take payments', '--needs-verification')
  await project.run('task', 'add', 'Store the cart')
  await project.run('task', 'claim', '1', '--actor', 'ada')
  await project.run('task', 'complete', '1', '--actor', 'ada')
  await using host = await openHost(project)
  const { page, heard, problems } = host
  await host.show('show_board')
  const view = page.frameLocator('iframe')
  await view.getByRole('region', { name: 'Ready' }).getByText('Store the cart').waitFor()
  expect(await view.locator('html').getAttribute('data-theme')).toBe('dark')
  await view.getByRole('button', { name: 'Ask to do this' }).click()
  await expect
    .poll(() => heard)
    .toEqual([['message', expect.stringContaining('Please claim task #2 ("Store the cart")')]])
  await view.getByRole('button', { name: 'Verify' }).click()
  await view.getByRole('region', { name: 'Done' }).getByText('Take payments').waitFor()
  expect(heard[1]).toEqual(['context', 'The person verified task #1 on the board.'])

  // Reopened meanwhile: the refusal is a sentence, and the board stays.
  await project.run('task', 'add', 'Send receipts', '--needs-verification')
  await project.run('task', 'complete', '3')
  await view.getByRole('button', { name: 'Refresh' }).click()
  await view.getByRole('button', { name: 'Verify' }).waitFor()
  await project.run('task', 'reopen', '3')
  await view.getByRole('button', { name: 'Verify' }).click()
  await view.getByRole('alert').getByText('task 3 is not done yet').waitFor()
  await view.getByText('Send receipts').waitFor()
  expect(heard).toHaveLength(2)
  expect(problems).toEqual([])
})

it('the brief and the reasons of a file appear as views [apps-views]', async () => {
  await using project = await createProject()
  writeFileSync(join(project.directory, 'pay.ts'), 'export function pay() {\n  return 3\n}\n')
  execFileSync('git', ['add', '.'], { cwd: project.directory })
  execFileSync('git', ['commit', '--quiet', '-m', 'Pay'], { cwd: project.directory })
  const regions = [{ file: 'pay.ts', anchor: 'pay', intent: 'The bank allows three tries' }]
  await project.run('code', 'annotate', '--input', JSON.stringify({ summary: 'Pay', regions }))
  await project.run('task', 'add', 'Store the cart')
  await using host = await openHost(project)
  const view = host.page.frameLocator('iframe')
  await host.show('show_brief')
  await view.getByRole('region', { name: 'Ready' }).getByText('Store the cart').waitFor()
  expect(await findingsOf(host.page)).toEqual([])
  await host.show('show_why', { path: 'pay.ts' })
  await view.getByText('The bank allows three tries').waitFor()
  await view.getByRole('button', { name: 'lines 1–3' }).click()
  expect(await view.locator('.line.chosen').count()).toBe(3)
  expect(await findingsOf(host.page)).toEqual([])
  await view.getByRole('button', { name: 'Ask about it' }).first().click()
  await expect
    .poll(() => host.heard)
    .toEqual([['message', 'Please explain lines 1–3 of pay.ts to me.']])
  expect(host.problems).toEqual([])
})

it('no stored text runs or loads anything in a view [apps-hostile]', async () => {
  await using project = await createProject()
  await using host = await openHost(project)
  // Those with a NUL character are refused before they are stored.
  const storable = HOSTILE.filter((text) => !text.includes('\0'))
  expect(storable.length).toBeGreaterThanOrEqual(199)
  const view = host.page.frameLocator('iframe')
  for (let at = 0; at < storable.length; at += CARDS) {
    const tasks = storable.slice(at, at + CARDS).map((title) => ({ title }))
    await host.call('task_create', { tasks })
    await host.show('show_board')
    const cards = view.getByRole('region', { name: 'Ready' }).locator('.card')
    await expect.poll(() => cards.count()).toBe(tasks.length)
    await host.show('show_brief')
    await view.getByRole('region', { name: 'Ready' }).waitFor()
    const ids = tasks.map((_, n) => String(at + n + 1))
    await host.call('task_update', { ids, status: 'cancelled' })
  }
  expect(host.problems).toEqual([])
})

it('a view is small when compressed [apps-size]', () => {
  for (const name of ['board', 'brief', 'why']) {
    const file = new URL(`../../../waymark/dist/ui/apps/${name}.html`, import.meta.url)
    expect(gzipSync(readFileSync(file)).length, name).toBeLessThan(LARGEST)
  }
})

async function openHost(project: TestProject) {
  const client = new Client(
    { name: 'test-host', version: '1' },
    {
      capabilities: {
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
      },
    },
  )
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [WAYMARK, 'serve'],
      cwd: project.directory,
    }),
  )
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const [heard, problems]: [string[][], string[]] = [[], []]
  page.on('request', (request) => {
    const to = request.url()
    if (!to.startsWith('about:') && !to.startsWith('http://host.test/'))
      problems.push(`asked ${to}`)
  })
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('dialog', (dialog) => {
    problems.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.route('http://host.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Host</title>' }),
  )
  await page.goto('http://host.test/')
  await page.exposeFunction('callTool', (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args }),
  )
  await page.exposeFunction('heard', (kind: string, text: string) => void heard.push([kind, text]))
  await page.addScriptTag({ content: hostScript })
  const { tools } = await client.listTools()
  const call = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args })
  return {
    page,
    heard,
    problems,
    call,
    /** Calls the tool as the model would and shows its view with the answer. */
    async show(name: string, args: Record<string, unknown> = {}): Promise<void> {
      const tool = tools.find((one) => one.name === name)
      const { resourceUri } = (tool?._meta?.['ui'] ?? { resourceUri: '' }) as {
        resourceUri: string
      }
      const { contents } = await client.readResource({ uri: resourceUri })
      const html = contents[0] !== undefined && 'text' in contents[0] ? contents[0].text : ''
      const result = await call(name, args)
      await page.evaluate(([text, given, answer]) => window.show(text, given, answer as never), [
        html,
        args,
        result,
      ] as const)
    },
    async [Symbol.asyncDispose]() {
      await page.close()
      await client.close()
    },
  }
}

/** The accessibility findings in the frame. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  const frame = page.frames().at(-1)
  await frame?.evaluate(axe.source)
  const results = await frame?.evaluate(
    async () => await (globalThis as unknown as { axe: typeof axe }).axe.run(),
  )
  return results?.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`) ?? []
}
