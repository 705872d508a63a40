import { basename } from 'node:path'
import type { Browser } from 'playwright-core'
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

it('the graph shows every neighbour of an entity, and of each how many more it has [page-graph]', async () => {
  await using project = await createProject()
  const note = (title: string, relation: string) => ({
    op: 'create',
    type: 'note',
    title,
    relations: [relation],
  })
  await project.run('add', 'decision', 'Keep sessions in SQLite')
  const notes = Array.from({ length: 40 }, (_, index) => note(`Note ${index}`, 'references:1'))
  const operations = [...notes, note('Note about a note', 'references:2')]
  await project.run('entity', 'batch', '--input', JSON.stringify({ operations }))
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/graph/1?depth=1')
  await page.getByText('41 entities · 40 relations').waitFor()
  expect(await page.locator('.graph-node').count()).toBe(41)
  expect(await page.locator('.graph-node', { hasText: '1 more' }).allInnerTexts()).toEqual([
    expect.stringContaining('#2 '),
  ])
  await page.getByRole('button', { name: '2', exact: true }).click()
  await page.getByText('42 entities · 41 relations').waitFor()
  expect(await page.locator('.graph-node', { hasText: 'more' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Map' }).click()
  await page.getByRole('button', { name: 'type', exact: true }).click()
  await page.getByText('2 groups · 42 entities').waitFor()
  expect((await page.locator('.map-group').allInnerTexts()).toSorted()).toEqual([
    'decision\n1',
    'note\n41',
  ])
  await page.getByRole('button', { name: 'Whole' }).click()
  await page.getByRole('img', { name: 'A picture of 42 entities' }).waitFor()
  await page.getByRole('button', { name: 'As a table' }).click()
  expect(await page.locator('.graph-view tbody tr').count()).toBe(41)
  expect(problems).toEqual([])
  await close()
})

it('the graph finds the path between two, and what is linked to nothing [page-graph-findings]', async () => {
  await using project = await createProject()
  for (const title of ['Sessions', 'Retry', 'Cart', 'Alone'])
    await project.run('add', 'note', title)
  await project.run('relation', 'create', '1', '2', '--type', 'references')
  await project.run('relation', 'create', '2', '3', '--type', 'references')
  await project.run('relation', 'create', '3', '1', '--type', 'references')
  await project.run('add', 'note', 'Leaf')
  await project.run('relation', 'create', '5', '3', '--type', 'references')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/graph/5')
  await page.keyboard.press('p')
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  await page.getByText('The shortest path: 2 steps').waitFor()
  expect(await page.locator('.graph-path li').allInnerTexts()).toEqual([
    '#5 Leaf → references',
    '#3 Cart ← references',
    '#2 Retry',
  ])
  await page.getByRole('searchbox', { name: 'Path to number' }).fill('4')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing leads from #5 to #4').waitFor()
  await page.getByRole('button', { name: 'Loose ends' }).click()
  const found = (heading: string) => page.locator('.panel', { hasText: heading }).locator('li')
  await page.getByText('Nothing blocks or contains itself.').waitFor()
  await found('Without any relation').first().waitFor()
  expect(await found('Without any relation').allInnerTexts()).toEqual(['#4 Alone · note'])
  expect(problems).toEqual([])
  await close()
})

it('lanes show each lease of an agent with how and why it ended [page-lanes]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Take payments')
  await project.run('task', 'add', 'Send receipts')
  await project.run('task', 'claim', '1', '--actor', 'ada')
  await project.run('task', 'release', '1', '--reason', 'needs a key', '--actor', 'ada')
  await project.run('task', 'claim', '1', '--actor', 'bo')
  await project.run('task', 'complete', '1', '--actor', 'bo')
  await project.run('task', 'claim', '2', '--actor', 'bo')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/agents?as=table')
  const rows = page.locator('.lanes-panel tbody tr')
  await rows.first().waitFor()
  const leases = async () =>
    (await rows.allInnerTexts()).map((text) => {
      const [agent, task, , , ended] = text.split('\t')
      return [agent, task, ended]
    })
  expect(await leases()).toEqual([
    ['bo', '#2 Send receipts', 'still held'],
    ['bo', '#1 Take payments', 'finished'],
    ['ada', '#1 Take payments', 'given back: needs a key'],
  ])
  await project.run('task', 'take-back', '2', '--reason', 'the plan has changed')
  await page.getByText('taken away: the plan has changed').waitFor()
  await page.getByRole('button', { name: 'As lanes' }).click()
  const names = page.locator('.lane-names li')
  await expect.poll(() => names.allInnerTexts()).toEqual(['AD\nada\n0 done', 'BO\nbo\n1 done'])
  // The first moment of all: only the first lease had begun.
  await page.getByRole('slider', { name: 'Moment' }).press('Home')
  const board = page.getByRole('region', { name: 'The board at' })
  await board.getByText('Take payments').waitFor()
  expect(await board.locator('.row').allInnerTexts()).toEqual([
    'nothing',
    expect.stringContaining('ada'),
    'nothing',
  ])
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toMatch(/^20/)
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.locator('#view').press('t')
  await expect
    .poll(() => names.allInnerTexts())
    .toEqual(['#1 Take payments\n1 done', '#2 Send receipts\n0 done'])
  expect(problems).toEqual([])
  await close()
})

it('one change is undone from the activity, after a look at what comes back [page-revert]', async () => {
  await using project = await createProject()
  await project.run('add', 'note', 'Cache', '--content', 'one')
  await project.run('update', '1', '--content', 'two', '--actor', 'ada')
  await project.run('update', '1', '--title', 'Caches')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/k/1')
  const change = page.locator('.story > li', { hasText: 'two' })
  await change.getByRole('button', { name: 'Undo this…' }).click()
  await page.getByText('This would come back:').waitFor()
  await page.getByText('waymark revert 1 2').waitFor()
  expect(await project.run('show', '1')).toContain('two')
  await page.getByRole('button', { name: 'Undo 1 field' }).click()
  await page.getByText('Undone.').waitFor()
  expect(JSON.parse(await project.run('show', '1', '--json'))).toMatchObject({
    title: 'Caches',
    content: 'one',
  })
  // The same change once more: nothing of it is left to take back.
  await change.getByRole('button', { name: 'Undo this…' }).last().click()
  await page.getByText('Nothing to undo.').waitFor()
  expect(problems).toEqual([])
  await close()
})

it('views fit a narrow screen, and nothing lies over its neighbour on a wide one [page-layout]', async () => {
  await using project = await createProject()
  await project.run(
    'add',
    'decision',
    'Charge with an idempotency key of the client',
    '--tag',
    'payments',
  )
  await project.run('task', 'add', 'Describe sessions in the manual', '--label', 'documentation')
  const { page, origin, close } = await openPage(browser, project)
  const boxOf = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox()
    if (box === null) throw new Error(`${selector} is not shown`)
    return box
  }
  await page.setViewportSize({ width: 1440, height: 860 })
  await go(page, origin, '/k/1')
  await page.locator('.entity-link').first().waitFor()
  const [entry, reader] = [await boxOf('.entity-link'), await boxOf('.reader')]
  expect(entry.x + entry.width).toBeLessThanOrEqual(reader.x)
  await go(page, origin, '/t/1')
  await page.getByRole('link', { name: 'Open it as knowledge' }).waitFor()
  await page.setViewportSize({ width: 390, height: 860 })
  for (const path of ['/', '/board', '/activity', '/k/1', '/code/', '/health', '/graph/1']) {
    await go(page, origin, path)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect({ path, width }).toEqual({ path, width: 390 })
  }
  await go(page, origin, '/activity')
  expect((await boxOf('.events .grow')).width).toBeGreaterThan(250)
  expect((await boxOf('.activity .filters input')).width).toBeGreaterThan(150)
  await close()
})

it('a text that an agent changed meanwhile is merged, and saved only after both were seen [page-editor-conflict]', async () => {
  await using project = await createProject()
  await project.run('add', 'decision', 'Sessions', '--content', 'one\ntwo\nthree')
  const change = (content: string) =>
    project.run('update', '1', '--content', content, '--actor', 'ada')
  const stored = async () =>
    (JSON.parse(await project.run('show', '1', '--json')) as { content: string }).content
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/k/1')
  const edit = page.getByRole('button', { name: 'Edit e' })
  const text = page.locator('.editor textarea')
  await edit.click()
  await text.fill('ONE\ntwo\nthree')
  // The page does not get to know of the change before it saves.
  await page.route('**/api/entity.get', () => undefined)
  await change('one\ntwo\nTHREE')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('#1 was changed by ada meanwhile').waitFor()
  expect(await stored()).toBe('one\ntwo\nTHREE')
  await page.getByText('Both changes are merged').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await edit.waitFor()
  expect(await stored()).toBe('ONE\ntwo\nTHREE')
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  await go(page, origin, '/k/1')
  await edit.click()
  await text.fill('mine\ntwo\nTHREE')
  await change('theirs\ntwo\nTHREE')
  await page.getByRole('button', { name: 'Edit both versions' }).click()
  expect(await text.inputValue()).toBe('mine\ntheirs\ntwo\nTHREE')
  await text.fill('ours\ntwo\nTHREE')
  await page.getByRole('button', { name: 'Save' }).click()
  await edit.waitFor()
  expect(await stored()).toBe('ours\ntwo\nTHREE')
  expect(problems).toEqual([])
  await close()
})

it('all projects of a server are listed with what needs the person, and each can be opened [page-projects]', async () => {
  await using other = await createProject()
  await using project = await createProject(other)
  await other.run('task', 'add', 'Take payments')
  await other.run('task', 'claim', '1', '--actor', 'ada')
  await other.run(
    'message',
    'send',
    'Cards only?',
    '--to',
    'owner',
    '--task',
    '1',
    '--actor',
    'ada',
  )
  await project.run('task', 'add', 'Send receipts')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/all')
  const [name, otherName] = [basename(project.directory), basename(other.directory)]
  const rows = page.locator('tbody tr')
  await rows.first().waitFor()
  expect((await rows.allInnerTexts()).map((text) => text.split('\t'))).toEqual([
    [name, '0', '0', '0', '1', '0', '0'],
    [otherName, '1', '0', '1', '0', '0', '0'],
  ])
  await page.getByRole('region', { name: 'Needs you' }).getByText('Cards only?').waitFor()
  const board = page.getByRole('region', { name: 'All projects' })
  const cards = async (column: string) =>
    (await board.getByRole('region', { name: column }).locator('.card').allInnerTexts()).map(
      (text) => text.split('\n').slice(0, 2).join(' '),
    )
  expect(await cards('Ready')).toEqual([`${name} #1 Send receipts`])
  expect(await cards('In progress')).toEqual([`${otherName} #1 Take payments`])
  // Both are followed, also the one that the page was not opened for.
  await other.run('task', 'add', 'Refund a payment', '--priority', 'urgent')
  await expect
    .poll(() => cards('Ready'))
    .toEqual([`${otherName} #2 Refund a payment`, `${name} #1 Send receipts`])
  await page.getByRole('searchbox').fill(`project:${name}`)
  await expect.poll(() => cards('Ready')).toEqual([`${name} #1 Send receipts`])
  await page.getByRole('searchbox').fill('')
  await board.getByRole('link', { name: 'Refund a payment' }).click()
  await page.getByRole('heading', { name: '#2 Refund a payment' }).waitFor()
  await go(page, origin, '/all')
  await page.getByRole('cell').getByRole('link', { name: otherName }).click()
  await page.getByRole('region', { name: 'Needs you' }).getByText('Cards only?').waitFor()
  expect(await page.title()).toContain(otherName)
  expect(problems).toEqual([])
  await close()
})

it('a check of the store runs as a job with progress, one at a time, and its outcome stays [page-jobs]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Take payments')
  const { page, origin, problems, close } = await openPage(browser, project)
  await go(page, origin, '/health')
  const jobs = page.getByRole('region', { name: 'Checks and repairs' })
  await jobs.getByRole('button', { name: 'Check: Store' }).click()
  await page.getByText('waymark job start check').waitFor()
  await jobs.getByText('✓ ok').waitFor()
  await page.locator('.rail').getByText('ended check').waitFor()
  await page.reload()
  await jobs.getByText('✓ ok').waitFor()
  expect(await project.run('job', 'list')).toContain('check')
  expect(problems).toEqual([])
  await close()
})
