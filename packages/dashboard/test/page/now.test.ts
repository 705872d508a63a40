import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser } from './browser.ts'
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

it('a proposed decision waits for the person, who accepts it where it is read [page-proposals]', async () => {
  await using project = await createProject()
  await project.run(
    'add',
    'decision',
    'Send receipts by mail',
    '--status',
    'proposed',
    '--actor',
    'ada',
  )
  await project.run('add', 'decision', 'Keep sessions in SQLite', '--status', 'accepted')
  const { page, problems, close } = await openPage(browser, project)
  const needs = page.locator('.needs')
  const proposal = needs.locator('.need', { hasText: 'Send receipts by mail' })
  await proposal.getByText('proposed by ada').waitFor()
  expect(await needs.locator('.need').count()).toBe(1)
  expect(await needs.locator('header .badge').innerText()).toBe('1')
  await proposal.getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Nothing needs you.').waitFor()
  await page.getByText('waymark update 1 --status accepted').waitFor()
  expect(await project.run('get', '1')).toContain('accepted')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await proposal.getByText('proposed by ada').waitFor()
  await proposal.getByRole('link', { name: '#1' }).click()
  await page.getByRole('heading', { name: 'Send receipts by mail' }).waitFor()
  await page.keyboard.press('Shift+r')
  await page.getByText('waymark update 1 --status deprecated').waitFor()
  expect(await project.run('get', '1')).toContain('deprecated')
  expect(problems).toEqual([])
  await close()
})

it('the first view says what happened, to whom was written, and which reasons no longer fit where agents work [page-today]', async () => {
  await using project = await createProject()
  const { directory } = project
  const body =
    '  const pause = 100\n  const longest = 5000\n  return Math.min(pause * 2, longest)\n'
  const source = `export function retry(): number {\n${body}}\n`
  mkdirSync(join(directory, 'src'))
  writeFileSync(join(directory, 'src/retry.ts'), source)
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory })
  git('add', '.')
  git('commit', '--quiet', '--message', 'Retry')
  await project.run('add', 'decision', 'Retry with pauses', '--status', 'accepted')
  const region = { file: 'src/retry.ts', anchor: 'retry', intent: 'Pauses are long' }
  const reasons = { summary: 'Retry', links: ['1'], regions: [region] }
  await project.run('code', 'annotate', '--input', JSON.stringify(reasons))
  writeFileSync(join(directory, 'src/retry.ts'), source.replace('* 2', '* Math.random()'))
  git('commit', '--quiet', '--all', '--message', 'Retry at random')
  await project.run('task', 'add', 'Write the retry loop', '--lock', 'src/retry.ts')
  await project.run('task', 'add', 'Login page')
  await project.run('task', 'claim', '2', '--actor', 'ada')
  await project.run('task', 'claim', '3', '--actor', 'bo')
  const message = ['message', 'send', 'Was the jitter lost on purpose?', '--task', '2']
  await project.run(...message, '--to', 'ada', '--actor', 'bo')
  const { page, origin, problems, close } = await openPage(browser, project)
  const drifted = page.locator('section', { hasText: 'Reasons that no longer fit' })
  await drifted.getByText('src/retry.ts').waitFor()
  expect(await drifted.innerText()).toContain('ada changes it for #2')
  const today = page.locator('section', { hasText: 'Today' })
  expect(await today.innerText()).toContain('2 taken')
  expect(await page.locator('.rail .event-line', { hasText: 'bo wrote' }).innerText()).toContain(
    'to ada about #2\nWas the jitter lost on purpose?',
  )
  await drifted.getByText('src/retry.ts').click()
  const reason = page.locator('.reason', { hasText: 'Pauses are long' })
  await reason.getByRole('link', { name: '#1 Retry with pauses' }).waitFor()
  await go(page, origin, '/t/2')
  const created = page.locator('.story details')
  expect(await created.getByText('src/retry.ts').isVisible()).toBe(false)
  await created.getByText('created it').click()
  await created.getByText('src/retry.ts').waitFor()
  expect(problems).toEqual([])
  await close()
})

it('a question that ends with a list is answered with one click or one key [page-question-options]', async () => {
  await using project = await createProject()
  const ask = (text: string) =>
    project.run('message', 'send', text, '--to', 'owner', '--actor', 'ada')
  await ask('Which format?\n- JSON\n- MessagePack')
  await ask('How long?\n1. 30 days\n2. until the browser closes')
  const { page, problems, close } = await openPage(browser, project)
  const format = page.locator('.need', { hasText: 'Which format?' })
  await format.getByRole('button', { name: 'MessagePack', exact: true }).click()
  await format.waitFor({ state: 'detached' })
  await page.locator('.need', { hasText: 'How long?' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('1')
  await page.getByText('Nothing needs you.').waitFor()
  const inbox = await project.run('inbox', '--actor', 'ada')
  expect(inbox).toContain('MessagePack')
  expect(inbox).toContain('30 days')
  expect(problems).toEqual([])
  await close()
})

it('a glance tells who does what, what is stuck and what waits for the person, also on small screens [page-glance]', async () => {
  await using project = await createProject()
  await fillSmallShop(project)
  const { page, origin, problems, close } = await openPage(browser, project)
  const heads = ['Needs you', 'Working now', 'Stuck', 'Today']
  for (const [width, height, seen] of [
    [1280, 800, ['Needs you', 'Working now', 'Stuck', 'Today']],
    [390, 844, ['Needs you', 'Working now', 'Stuck']],
  ] as const) {
    await page.setViewportSize({ width, height })
    await go(page, origin, '/')
    await page.locator('#drifted-work').waitFor()
    const tops = await Promise.all(
      heads.map(async (name) => {
        const box = await page.getByRole('heading', { name, exact: false }).first().boundingBox()
        return { name, top: box?.y ?? Infinity, bottom: (box?.y ?? Infinity) + (box?.height ?? 0) }
      }),
    )
    const order = tops.toSorted((one, other) => one.top - other.top).map(({ name }) => name)
    if (width < 900) expect(order).toEqual(heads)
    // The lower bar covers 56 pixels of a phone.
    const isSeen = ({ bottom }: { readonly bottom: number }) => bottom < height - 56
    expect(tops.filter(isSeen).map(({ name }) => name)).toEqual([...seen])
    await go(page, origin, '/board?column=in_progress')
    const card = page.locator('.card', { hasText: 'Take payments' })
    for (const fact of ['ada', '1 question']) {
      const [inside, outside] = [await card.getByText(fact).boundingBox(), await card.boundingBox()]
      expect(inside?.width).toBeGreaterThan(10)
      const bottom = (inside?.y ?? 0) + (inside?.height ?? 0)
      expect(bottom).toBeLessThanOrEqual((outside?.y ?? 0) + (outside?.height ?? 0))
    }
  }
  expect(problems).toEqual([])
  await close()
})

it('words that were searched for are marked in what was found, and are not markup [page-search-marks]', async () => {
  await using project = await createProject()
  await project.run('add', 'note', 'Carts', '--content', 'One cart for <b>each</b> session')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/search?q=cart')
  const found = page.locator('.search-view .rows li')
  await found.locator('mark', { hasText: 'cart' }).first().waitFor()
  expect(await found.innerText()).not.toContain('<mark>')
  expect(await found.innerText()).toContain('<b>each</b>')
  expect(problems).toEqual([])
  await close()
})
