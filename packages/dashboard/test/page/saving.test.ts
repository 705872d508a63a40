import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { go, openPage } from './open-page.ts'
import { createProject } from './project.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

const HOSTILE = '=1+1, "<img src=x onerror=alert(1)>"'

it('a board is saved as CSV and JSON with all tasks that the filter lets through, and no cell is a formula [page-save-tasks]', async () => {
  await using project = await createProject()
  const titles = Array.from({ length: 60 }, (_, at) => ({ title: `Task ${at}`, labels: ['many'] }))
  const tasks = [...titles, { title: HOSTILE, labels: ['many'] }, { title: 'Other' }]
  await project.run('task', 'create-many', '--input', JSON.stringify({ tasks }))
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/board?q=label:many')
  await page.locator('.card').first().waitFor()
  const csv = await save(page, 'Save all tasks of the board as CSV')
  expect(csv.split('\r\n')).toHaveLength(63)
  expect(csv).toContain(`61,"'=1+1, ""<img src=x onerror=alert(1)>""",Ready,normal,,,many,,`)
  const json = await save(page, 'Save all tasks of the board as JSON')
  expect(JSON.parse(json)).toHaveLength(61)
  expect(problems).toEqual([])
  await close()
})

it('a view is saved as one file that shows the same without a server, and runs and asks nothing [page-save-view]', async () => {
  await using project = await createProject()
  await project.run('add', 'decision', HOSTILE, '--content', 'Because **it** works')
  await project.run('task', 'add', HOSTILE)
  await project.run('task', 'claim', '2', '--actor', 'ada')
  const { page, origin, problems, close } = await openPage(browser, project)
  for (const [path, name] of [
    ['/k/1', 'Knowledge'],
    ['/board', 'Board'],
    ['/agents', 'Agents'],
  ] as const) {
    await go(page, origin, path)
    const html = await save(page, `Save ${name} as one HTML file`)
    const asked: string[] = []
    const context = await browser.newContext({ offline: true })
    const reader = await context.newPage()
    reader.on('request', (request) => asked.push(request.url()))
    reader.on('dialog', () => asked.push('dialog'))
    await reader.setContent(html)
    expect(await reader.locator('body').innerText()).toContain(name === 'Agents' ? 'ada' : HOSTILE)
    expect(await reader.locator('script, button, input, a[href^="/"], [onerror]').count()).toBe(0)
    expect(asked.filter((url) => !url.startsWith('data:'))).toEqual([])
    await context.close()
  }
  expect(problems).toEqual([])
  await close()
})

it('the replay is saved as one file that plays without a server, and runs and asks nothing else [page-save-replay]', async () => {
  await using project = await createProject()
  const attack = '</script><script>document.title = 1</script><img src=x onerror=alert(1)>'
  await project.run('task', 'add', attack)
  await project.run('task', 'add', 'Store the cart')
  await project.run('task', 'claim', '1', '--actor', 'ada')
  await project.run('task', 'complete', '1', '--actor', 'ada')
  await project.run('task', 'claim', '2', '--actor', attack.slice(0, 60))
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/agents')
  const button = page.getByRole('button', { name: 'Save the replay as one HTML file' })
  await button.waitFor()
  const html = await download(page, () => page.keyboard.press('s'))
  expect((await download(page, () => button.click())).length).toBeGreaterThan(1000)
  const context = await browser.newContext({ offline: true, viewport: { width: 390, height: 800 } })
  const reader = await context.newPage()
  const asked: string[] = []
  reader.on('request', (request) => asked.push(request.url()))
  reader.on('dialog', () => asked.push('dialog'))
  reader.on('pageerror', (error) => asked.push(error.message))
  reader.on('console', (message) => asked.push(message.text()))
  await reader.setContent(html)
  const finished = reader.locator('.columns > section').last()
  await finished.getByText(`#1 ${attack} · ada`).waitFor()
  expect(await reader.title()).toMatch(/: replay$/)
  await reader.getByRole('slider', { name: 'Moment' }).fill('0')
  await expect.poll(() => finished.innerText()).toContain('nothing')
  // From the begin it plays to the end by itself.
  await reader.getByRole('combobox', { name: 'Speed' }).selectOption('×3600')
  await reader.getByRole('button', { name: 'Replay' }).click()
  await finished.getByText(`#1 ${attack} · ada`).waitFor()
  expect(await reader.locator('img, a').count()).toBe(0)
  const isWide = () => document.documentElement.scrollWidth > innerWidth
  expect(await reader.evaluate(isWide)).toBe(false)
  await reader.getByText('As a table').click()
  expect(await reader.locator('td').allInnerTexts()).toContain('#2 Store the cart')
  expect(asked).toEqual([])
  expect(problems).toEqual([])
  await context.close()
  await close()
})

async function save(page: Page, entry: string): Promise<string> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or do' }).fill(`>${entry}`)
  await page.getByRole('option', { name: entry }).waitFor()
  return await download(page, () => page.keyboard.press('Enter'))
}

async function download(page: Page, act: () => Promise<void>): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()])
  return readFileSync(await file.path(), 'utf8')
}
