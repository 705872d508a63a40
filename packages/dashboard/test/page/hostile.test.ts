import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isFullLevel } from '../../../waymark/test/level.ts'
import { launchBrowser } from './browser.ts'
import { HOSTILE } from './hostile-texts.ts'
import { openPage } from './open-page.ts'
import { createProject, type TestProject } from './project.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

const TEXTS = HOSTILE.map(toField)
const FILE = `src/<img src=x onerror=pwned=1> & "quoted".ts`

/** Pages of single things are all opened at the full level; otherwise some, spread over all texts. */
const STEP = isFullLevel ? 1 : 50

it('200 hostile texts in every field of every view run nothing, request nothing and break no layout [page-hostile-texts]', async () => {
  expect(new Set(HOSTILE).size).toBe(200)
  await using project = await createProject()
  await fill(project)
  const { page, origin, problems, close } = await openPage(browser, project)
  const single = TEXTS.flatMap((_, at) =>
    at % STEP === 0 ? [`/t/${at + 1}`, `/k/${TEXTS.length + at + 1}`] : [],
  )
  const paths = [
    '/',
    '/board',
    '/board?group=label',
    '/inbox',
    '/inbox?scope=all',
    '/agents',
    '/agents?as=table',
    '/agents?by=task',
    '/activity?noise=1',
    '/knowledge',
    `/graph/${TEXTS.length + 1}`,
    '/graph?mode=map&by=tag',
    '/graph?mode=whole',
    '/code/',
    `/code/${FILE.split('/').map(encodeURIComponent).join('/')}`,
    `/code/${FILE.split('/').map(encodeURIComponent).join('/')}?blame=1&rev=HEAD`,
    '/health',
    '/insight',
    '/search?q=pwned',
    '/all',
    '/settings',
    ...single,
  ]
  for (const path of paths) {
    await page.goto(`${origin}/ui${path}`)
    await page.locator('#view:not(:has([aria-busy]))').waitFor()
    if (path.startsWith('/board')) await scrollAll(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect({ path, overflow: Math.max(0, width) }).toEqual({ path, overflow: 0 })
    expect({ path, planted: await page.evaluate(findPlanted) }).toEqual({ path, planted: [] })
  }
  await page.keyboard.press('Control+k')
  await page.locator('.palette input').fill('img')
  await page.locator('#palette-list [role=option]').first().waitFor()
  expect(await page.evaluate(findPlanted)).toEqual([])
  expect(problems).toEqual([])
  await close()
})

/** Runs in the page: elements that only a text can have made, and whether one of them ran. */
function findPlanted(): readonly string[] {
  const planted = document.querySelectorAll(
    '#app script, #app iframe, #app base, #app form[action], #app object, #app link, #app style, #app meta, #app video, #app img[src^="http"], #app a[href^="javascript" i], #app a[href^="data" i], #app [onerror], #app [onload]',
  )
  const ran = 'pwned' in globalThis ? ['a text was run'] : []
  return [...ran, ...[...planted].map(({ outerHTML }) => outerHTML.slice(0, 200))]
}

async function scrollAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const list of document.querySelectorAll('.windowed')) {
      for (let top = 0; top < list.scrollHeight; top += 700) {
        list.scrollTop = top
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    }
  })
}

async function fill(project: TestProject): Promise<void> {
  const run = (...args: readonly string[]) => project.run(...args)
  const tasks = TEXTS.map((text, at) => ({
    title: text,
    content: HOSTILE[at]?.replaceAll('\u0000', ''),
    labels: [text.slice(0, 50).replaceAll(',', ' ').trim() || 'x'],
    acceptance_criteria: [text],
    assignee: at % 3 === 0 ? text.slice(0, 60).trim() : undefined,
  }))
  for (let at = 0; at < tasks.length; at += 100)
    await run(
      'task',
      'create-many',
      '--input',
      JSON.stringify({ tasks: tasks.slice(at, at + 100) }),
    )
  const operations = TEXTS.map((text, at) => ({
    op: 'create',
    type: (['decision', 'note', 'component'] as const)[at % 3],
    title: text,
    content: HOSTILE[at]?.replaceAll('\u0000', ''),
    tags: [text.slice(0, 50).replaceAll(',', ' ').trim() || 'x'],
    relations: [`references:${at + 1}`],
  }))
  for (let at = 0; at < operations.length; at += 100)
    await run(
      'entity',
      'batch',
      '--input',
      JSON.stringify({ operations: operations.slice(at, at + 100) }),
    )
  const names = ['<img src=x onerror=pwned=1>', '"><svg onload=pwned=1>']
  for (const [at, name] of names.entries()) {
    await run('task', 'claim', String(at + 1), '--actor', name)
    for (let from = at * 100; from < (at + 1) * 100; from += 50) {
      const body = TEXTS.slice(from, from + 50).join('\n\n')
      await run(
        'message',
        'send',
        body,
        '--subject',
        TEXTS[from] ?? '',
        '--task',
        String(at + 1),
        '--to',
        'owner',
        '--actor',
        name,
      )
    }
  }
  await run(
    'task',
    'release',
    '1',
    '--reason',
    TEXTS.slice(0, 20).join(' '),
    '--actor',
    names[0] ?? '',
  )
  await explainCode(project)
}

/** File names, commit subjects, source and reasons. */
async function explainCode(project: TestProject): Promise<void> {
  const { directory } = project
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory })
  mkdirSync(join(directory, 'src'), { recursive: true })
  const source = TEXTS.map((text) => `// ${text}`).join('\n')
  writeFileSync(join(directory, FILE), `export function step(): void {}\n${source}\n`)
  git('add', '.')
  git('commit', '--quiet', '--message', TEXTS[0] ?? '')
  const regions = [{ file: FILE, anchor: 'step', intent: TEXTS.slice(0, 40).join(' ') }]
  await project.run('code', 'annotate', '--input', JSON.stringify({ summary: TEXTS[3], regions }))
}

/** As a field of one line accepts it: without control characters. */
function toField(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\uFEFF]/gu, ' ')
    .trim()
    .slice(0, 300)
}
