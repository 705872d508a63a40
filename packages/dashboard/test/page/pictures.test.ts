import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { layoutFacts, sidewaysOf } from './layout-facts.ts'
import { go, openPage } from './open-page.ts'
import { createProject } from './project.ts'
import { fillSmallShop } from './small-shop.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

/** Views with what must be there before they are looked at. */
const VIEWS = {
  now: ['/', '#drifted-work'],
  board: ['/board', '.card'],
  task: ['/t/2', '.story li'],
  inbox: ['/inbox', '.thread-page'],
  agents: ['/agents', '.lane-names li'],
  activity: ['/activity', '.events li'],
  knowledge: ['/k/8', '.story li'],
  graph: ['/graph/8', '.graph-node'],
  code: ['/code/src/retry.ts', '.code-diff'],
  health: ['/health', '.job'],
  insight: ['/insight', '.panel'],
  projects: ['/all', '.card'],
} as const

/** Longer than a request takes that a part of a view makes for itself. */
const QUIET_MS = 450

/** What else must fit a narrow screen. */
const MORE = [
  '/board?group=label',
  '/agents?as=table',
  '/agents?by=task',
  '/graph?mode=map',
  '/graph?mode=whole',
  '/graph?mode=loose',
  '/graph/8?to=10',
  '/knowledge',
  '/code',
  '/search?q=sessions',
  '/settings',
  '/agents/ada',
  '/activity?noise=1',
]

const SCREENS = [
  { viewport: { width: 1440, height: 900 }, pictures: { light: 'light', dark: 'dark' } },
  { viewport: { width: 390, height: 844 }, pictures: { narrow: 'light' } },
] as const

it('each view looks as it did, in light, in dark and on a narrow screen [page-pictures]', async () => {
  await using project = await createProject()
  await fillSmallShop(project)
  const { page, origin, problems, close } = await openPage(browser, project)
  for (const { viewport, pictures } of SCREENS) {
    await page.setViewportSize(viewport)
    const drawn = Object.entries(pictures).map(([picture, colorScheme]) => ({
      picture,
      colorScheme,
      boxes: new Array<string>(),
      styles: new Set<string>(),
    }))
    for (const [name, [path, shows]] of Object.entries(VIEWS)) {
      await go(page, origin, path)
      await page.locator(shows).first().waitFor()
      for (const { colorScheme, boxes, styles } of drawn) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        const facts = await settledFacts(page)
        boxes.push(`# ${name}`, ...facts.boxes)
        for (const style of facts.styles) styles.add(style)
      }
    }
    for (const { picture, boxes, styles } of drawn) {
      const sorted = [...styles].toSorted((one, other) => (one < other ? -1 : 1))
      const text = `${[...boxes, '# styles', ...sorted].join('\n')}\n`
      await expect(text).toMatchFileSnapshot(`pictures/${picture}.txt`)
    }
  }
  // Such a comparison is worth what it notices.
  const before = await settledFacts(page)
  for (const style of [
    '.panel { padding: 3px }',
    '.muted { color: red }',
    '#view { width: 300px }',
  ]) {
    const { dispose } = await addStyle(style)
    expect(await layoutFacts(page)).not.toEqual(before)
    await dispose()
  }
  expect(await layoutFacts(page)).toEqual(before)
  expect(problems).toEqual([])
  await close()

  /** As a sheet of the document: the policy of the page refuses styles in its text. */
  async function addStyle(text: string) {
    const sheet = await page.evaluateHandle((rules) => {
      const made = new CSSStyleSheet()
      made.replaceSync(rules)
      document.adoptedStyleSheets = [made]
      return made
    }, text)
    return {
      dispose: async () => {
        await page.evaluate(() => void (document.adoptedStyleSheets = []))
        await sheet.dispose()
      },
    }
  }
})

it('no view scrolls sideways or sticks out at 390 px [page-narrow]', async () => {
  await using project = await createProject()
  await fillSmallShop(project)
  const { page, origin, problems, close } = await openPage(browser, project)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of [...Object.values(VIEWS).map(([path]) => path), ...MORE]) {
    await go(page, origin, path)
    await expect
      .poll(async () => ({ path, sideways: await sidewaysOf(page) }), { timeout: 2000 })
      .toEqual({ path, sideways: [] })
  }
  expect(problems).toEqual([])
  await close()
})

/** Parts of a view are loaded one after the other: it is looked at once nothing has changed for a while. */
async function settledFacts(page: Page) {
  await page.evaluate(
    (quiet) =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(settle, quiet)
        const observer = new MutationObserver(restart)
        observer.observe(document, {
          subtree: true,
          childList: true,
          attributes: true,
          characterData: true,
        })
        function restart() {
          clearTimeout(timer)
          timer = setTimeout(settle, quiet)
        }
        function settle() {
          if (document.querySelector('#app [aria-busy]') !== null) return restart()
          observer.disconnect()
          resolve()
        }
      }),
    QUIET_MS,
  )
  return await layoutFacts(page)
}
