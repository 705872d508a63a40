import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { openPage } from './open-page.ts'
import { createProject, type TestProject } from './project.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

const FILE = 'src/dial.ts'
const LINES = 300
const CHANGED = 250

/** A long file with a reason near its end, whose code a second commit changes. */
async function fillWithCode(project: TestProject): Promise<void> {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: project.directory, stdio: 'ignore' })
  const write = (tries: number): void => {
    const lines = Array.from({ length: LINES }, (_, at) => `export const line${at + 1} = ${at + 1}`)
    lines[CHANGED - 1] = `export const tries = ${tries}`
    writeFileSync(join(project.directory, FILE), `${lines.join('\n')}\n`)
  }
  mkdirSync(join(project.directory, 'src'))
  write(3)
  git('add', '.')
  git('commit', '--quiet', '--message', 'Dial')
  const regions = [{ file: FILE, anchor: 'tries', intent: 'The bank allows three' }]
  await project.run('code', 'annotate', '--input', JSON.stringify({ summary: 'Dial', regions }))
  write(4)
  git('commit', '--quiet', '--all', '--message', 'Dial once more')
}

const pickedLines = (page: Page) =>
  page
    .locator('.line.shown')
    .evaluateAll((lines) => lines.map((line) => Number((line as HTMLElement).dataset['line'])))

it('a link with lines, as the command prints it, opens the file there, and lines that are picked are in the link [page-code-lines]', async () => {
  await using project = await createProject()
  await fillWithCode(project)
  const { page, problems, close } = await openPage(browser, project)
  const answer = await project.run('ui', `${FILE}:${CHANGED}-${CHANGED + 1}`, '--no-open', '--json')
  const { url } = JSON.parse(answer) as { readonly url: string }
  await page.goto(url)
  await page.locator(`[data-line="${CHANGED}"].shown`).waitFor()
  expect(await pickedLines(page)).toEqual([CHANGED, CHANGED + 1])
  await expect.poll(() => page.locator(`[data-line="${CHANGED}"]`).evaluate(isOnScreen)).toBe(true)
  expect(new URL(page.url()).hash).toBe(`#L${CHANGED}-L${CHANGED + 1}`)
  const number = (line: number) => page.locator(`[data-line="${line}"] .line-number`)
  await number(CHANGED + 3).click()
  await number(CHANGED + 5).click({ modifiers: ['Shift'] })
  expect(new URL(page.url()).hash).toBe(`#L${CHANGED + 3}-L${CHANGED + 5}`)
  await page.reload()
  await page.locator(`[data-line="${CHANGED + 3}"].shown`).waitFor()
  expect(await pickedLines(page)).toEqual([3, 4, 5].map((more) => CHANGED + more))
  // A reason that is walked to is in the link as well.
  await page.keyboard.press('n')
  expect(new URL(page.url()).hash).toBe(`#L${CHANGED}`)
  expect(problems).toEqual([])
  await close()
})

it('a key shows who wrote each line, whose commit shows the file as it was, with what held then [page-code-blame]', async () => {
  await using project = await createProject()
  await fillWithCode(project)
  const { page, origin, problems, close } = await openPage(browser, project)
  await page.goto(`${origin}/ui/code/${FILE}#L${CHANGED}`)
  await page.locator(`[data-line="${CHANGED}"].shown`).waitFor()
  await page.getByText('drifted', { exact: false }).first().waitFor()
  await page.keyboard.press('b')
  const writer = page.locator(`[data-line="${CHANGED}"] a.writer`)
  await writer.waitFor()
  expect(await writer.innerText()).toMatch(/^[0-9a-f]{8} Kim$/)
  expect(await writer.getAttribute('title')).toContain('Dial once more')
  await page.locator(`[data-line="${CHANGED + 1}"] a.writer`).click()
  const at = page.locator('.at-commit')
  await at.getByText('Dial · Kim').waitFor()
  await page.locator('.reason.fresh').waitFor()
  expect(await page.locator('.source').innerText()).not.toContain('tries = 4')
  expect(await page.locator('.reason button').count()).toBe(0)
  await at.getByRole('link', { name: 'Before it' }).click()
  await page.getByRole('alert').getByText('no commit').waitFor()
  await page.goBack()
  await at.getByRole('link', { name: 'Today' }).click()
  await page.locator('.reason.drifted').waitFor()
  expect(problems).toEqual([])
  await close()
})

function isOnScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}
