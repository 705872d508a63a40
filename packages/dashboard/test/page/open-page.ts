import type { Browser, Page } from 'playwright-core'
import type { TestProject } from './project.ts'

/** Other work on the machine may slow a page down twentyfold. */
const PATIENCE = 60_000

/** Opens the page and collects what it asks of other servers, and what its policy refuses. */
export async function openPage(
  browser: Browser,
  project: TestProject,
  colorScheme: 'light' | 'dark' = 'light',
) {
  const url = new URL(await project.serve())
  const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('request', (request) => {
    const to = request.url()
    if (!to.startsWith(url.origin) && !to.startsWith('blob:')) problems.push(`asked ${to}`)
  })
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|Trusted Type/.test(message.text()))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(url.href)
  await page.locator('#view').waitFor()
  return { page, origin: url.origin, problems, close: () => context.close() }
}

/** Opens a view by its address and waits until it is loaded. */
export async function go(page: Page, origin: string, path: string): Promise<void> {
  await page.goto(`${origin}/ui${path}`)
  await page.locator('#view:not(:has([aria-busy]))').waitFor()
}

/** Goes to a view as a link in the page does, without loading it anew. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/ui${path}`)
}
