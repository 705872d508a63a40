import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isSample } from '../../../waymark/test/level.ts'
import { launchBrowser } from './browser.ts'
import { go, openPage } from './open-page.ts'
import { createProject, type TestProject } from './project.ts'
import { fillSmallShop } from './small-shop.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

it('a question is answered and finished work verified where they are read, in the name of the person [page-acts]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Take payments', '--needs-verification')
  await project.run('task', 'add', 'Store the cart')
  await project.run('task', 'claim', '1', '--actor', 'ada')
  await project.run('task', 'complete', '1', '--actor', 'ada')
  await project.run('task', 'claim', '2', '--actor', 'bo')
  await project.run(
    'message',
    'send',
    'Cards only?',
    '--to',
    'owner',
    '--task',
    '2',
    '--actor',
    'bo',
  )
  const { page, problems, close } = await openPage(browser, project)
  await page.locator('.needs').getByText('Cards only?').waitFor()
  expect(page.url()).not.toContain('key=')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByPlaceholder('Answer…').fill('Yes, cards only')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Nothing needs you.').waitFor()
  await page.getByRole('link', { name: 'Board' }).first().click()
  const card = page.locator('.card', { hasText: 'Store the cart' })
  await card.click()
  await page.getByRole('button', { name: 'Take back…' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('the plan has changed')
  await page.getByText('waymark task take-back 2 --reason "the plan has changed"').waitFor()
  await page.keyboard.press('Enter')
  await page
    .locator('section', { hasText: 'Ready' })
    .locator('.card', { hasText: 'Store the cart' })
    .waitFor()
  expect(await project.run('inbox', '--actor', 'bo')).toContain('Yes, cards only')
  expect(JSON.parse(await project.run('task', 'show', '1', '--json'))).toMatchObject({
    verified_by: 'Kim',
  })
  expect(problems).toEqual([])
  await close()
})

it('the board is walked, moved and undone by keys alone [page-keys]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'First', '--priority', 'high')
  await project.run('task', 'add', 'Second')
  const { page, close } = await openPage(browser, project)
  await page.getByRole('heading', { name: 'Needs you' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await page.locator('.card').first().waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator('.card.current', { hasText: 'Second' }).waitFor()
  await page.keyboard.press('p')
  await page.getByRole('dialog').getByRole('combobox').selectOption('urgent')
  await page.getByRole('button', { name: 'Priority' }).click()
  await page.getByText('waymark task update 2 --priority urgent').waitFor()
  await expect.poll(() => project.run('task', 'show', '2')).toContain('urgent')
  await page.keyboard.press('z')
  await page.getByText('Undone.').waitFor()
  expect(await project.run('task', 'show', '2')).toContain('normal')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Next card').first().waitFor()
  await close()
})

it('cards of a column are put in order by mouse, by key and by command [page-order]', async () => {
  await using project = await createProject()
  for (const title of ['First', 'Second', 'Third', 'Fourth'])
    await project.run('task', 'add', title)
  const { page, origin, close } = await openPage(browser, project)
  await go(page, origin, '/board')
  const ready = page.locator('section', { hasText: 'Ready' })
  const titles = () => ready.locator('.card-title').allInnerTexts()
  const card = (text: string) => ready.locator('.card', { hasText: text })
  await card('Fourth').dragTo(card('Second'), { targetPosition: { x: 60, y: 8 } })
  await expect.poll(titles).toEqual(['First', 'Fourth', 'Second', 'Third'])
  await page.getByText('waymark task reorder 4 --before 2').waitFor()
  await page.keyboard.press('z')
  await page.getByText('Undone.').waitFor()
  await page.mouse.move(0, 0)
  await expect.poll(titles).toEqual(['First', 'Second', 'Third', 'Fourth'])
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+ArrowDown')
  await expect.poll(titles).toEqual(['Second', 'First', 'Third', 'Fourth'])
  await page.keyboard.press('Shift+ArrowDown')
  await expect.poll(titles).toEqual(['Second', 'Third', 'First', 'Fourth'])
  await page.getByText('waymark task reorder 1 --after 3').waitFor()
  await project.run('task', 'reorder', '4', '--before', '2')
  await expect.poll(titles).toEqual(['Fourth', 'Second', 'Third', 'First'])
  const offered = JSON.parse(await project.run('task', 'ready', '--json')) as {
    tasks: readonly { readonly title: string }[]
  }
  expect(offered.tasks.map(({ title }) => title)).toEqual(['Fourth', 'Second', 'Third', 'First'])
  await close()
})

it('a page follows what agents do through kills of the server, and misses and doubles nothing [page-live]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Before')
  const { page, origin, close } = await openPage(browser, project)
  await go(page, origin, '/activity?noise=1')
  await page.getByText('Before').first().waitFor()
  for (let round = 1; round <= 3; round += 1) {
    await project.kill()
    await project.run('task', 'add', `While it was down ${round}`)
    await project.serve()
    await project.run('task', 'add', `After restart ${round}`)
    await page.locator('.events').getByText(`After restart ${round}`).waitFor()
  }
  const ids = await page.locator('.events .mono').allInnerTexts()
  const { latest } = JSON.parse(await project.run('event', 'list', '--json', '--limit', '1')) as {
    latest: number
  }
  expect(ids.map(Number)).toEqual(Array.from({ length: latest }, (_, index) => latest - index))
  await close()
})

const FULL_VIEWS = [
  '/',
  '/board',
  '/t/2',
  '/inbox',
  '/agents',
  '/agents?as=table',
  '/agents/ada',
  '/activity',
  '/k/8',
  '/graph/8',
  '/graph?mode=map',
  '/graph/8?to=10',
  '/graph?mode=whole',
  '/graph?mode=loose',
  '/code',
  '/code/src/retry.ts?blame=1#L2',
  '/code/src/retry.ts?rev=HEAD~1',
  '/health',
  '/insight',
  '/search?q=sessions',
  '/settings',
  '/all',
]
/** Nothing is there yet, or not what the address names. */
const EMPTY_VIEWS = [
  '/',
  '/board',
  '/inbox',
  '/agents',
  '/activity',
  '/knowledge',
  '/graph',
  '/code',
  '/insight',
  '/search?q=nothing',
  '/t/99',
  '/k/99',
  '/code/none.ts',
  '/nowhere',
]

it('every view is free of accessibility findings, in light and dark, wide and narrow [page-accessible]', async () => {
  await using project = await createProject()
  await fillSmallShop(project)
  await expectAccessible(project, FULL_VIEWS)
})

it('so are views without anything in them, or whose address names what is not there [page-accessible-empty]', async () => {
  await using project = await createProject()
  await expectAccessible(project, EMPTY_VIEWS)
})

async function expectAccessible(project: TestProject, views: readonly string[]): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    const { page, origin, close } = await openPage(browser, project, scheme)
    if (scheme === 'dark') await page.setViewportSize({ width: 390, height: 844 })
    const part = scheme === 'light' ? 0 : 1
    for (const path of views.filter((_, at) => !isSample || at % 2 === part)) {
      await go(page, origin, path)
      await page.evaluate(axe.source)
      const findings = await page.evaluate(async () => {
        const { violations } = await (
          globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResult> } }
        ).axe.run({ resultTypes: ['violations'] })
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      })
      expect.soft({ scheme, path, findings }).toEqual({ scheme, path, findings: [] })
    }
    await close()
    await project.kill()
  }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}
