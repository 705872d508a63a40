import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Act } from '../../src/acts/act.ts'
import { ENTITY_ACTS, type Entry } from '../../src/acts/entity-acts.ts'
import { REASON_ACTS } from '../../src/acts/reason-acts.ts'
import { TASK_ACTS } from '../../src/acts/task-acts.ts'
import { attempt, createShell, createWrites, press, type Way, WAYS } from './act-trial.ts'
import { launchBrowser } from './browser.ts'
import { go, openPage, visit } from './open-page.ts'
import { createProject, type TestProject } from './project.ts'

let browser: Browser
const writes = createWrites()

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser.close()
})

/** What is answered when an act asks. The two numbers are of a task and a decision that nothing else is about. */
const [OTHER_TASK, SUCCESSOR] = [1, 2]
const ANSWERS: Readonly<Record<string, string>> = {
  'take-back': 'the plan has changed',
  complete: 'it works',
  reopen: 'a case is missing',
  priority: '250',
  order: String(OTHER_TASK),
  assign: 'ada',
  label: 'auth, ui',
  wait: `#${OTHER_TASK}`,
  defer: '2030-01-02',
  due: '2030-01-02',
  status: 'blocked',
  split: 'Ask the "bank"',
  write: 'The bank is down until $noon',
  stop: 'The bank has another key',
  cancel: 'the bank does it',
  supersede: `#${SUCCESSOR}`,
  amend: 'It dials twice',
  flag: 'it may not hold on Sundays',
  remove: 'it was never so',
}

/** What a task is like before an act on it, where it is not just new. */
const BEFORE: Readonly<Record<string, 'done' | 'held' | 'mine' | 'to verify'>> = {
  verify: 'to verify',
  release: 'mine',
  'take-back': 'held',
  reopen: 'done',
  stop: 'held',
}

it('every act on a task works by its key, by a click and as the command that is shown, all in the same way [page-task-acts]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Other')
  const tasks = TASK_ACTS.flatMap(({ id }) =>
    [...WAYS, 'command'].map((way) => ({
      title: `${id} by ${way}`,
      needs_verification: BEFORE[id] === 'to verify',
    })),
  )
  await project.run('task', 'create-many', '--input', JSON.stringify({ tasks }))
  const first = OTHER_TASK + 1
  for (const [at, { id }] of TASK_ACTS.entries())
    for (const number of [0, 1, 2].map((way) => String(first + at * 3 + way))) {
      if (BEFORE[id] === 'held') await project.run('task', 'claim', number, '--actor', 'ada')
      if (BEFORE[id] === 'mine') await project.run('task', 'claim', number)
      if (BEFORE[id] === 'done' || BEFORE[id] === 'to verify')
        await project.run('task', 'complete', number)
    }
  const { latest: begin } = await eventsAfter(project, 0)
  const shell = createShell(project)
  const { page, problems, close } = await openPage(browser, project)
  writes.watch(page)
  for (const [at, act] of TASK_ACTS.entries()) {
    const numbers = [0, 1, 2].map((way) => first + at * 3 + way)
    for (const [index, way] of WAYS.entries()) {
      const number = numbers[index] ?? 0
      await visit(page, `/t/${number}`)
      await page.getByRole('heading', { name: `${act.id} by ${way}` }).waitFor()
      writes.way = way
      const said = await attempt(page, act, { way, of: taskLike(number), answer: ANSWERS[act.id] })
      if (index === 0) await shell(said.replace(new RegExp(`\\b${number}\\b`), String(numbers[2])))
    }
  }
  const { events } = await eventsAfter(project, begin)
  const ids = await taskIds(project)
  for (const [at, { id }] of TASK_ACTS.entries()) {
    const [byKey, byMouse, byCommand] = [0, 1, 2].map((way) =>
      touching(events, ids.get(first + at * 3 + way)),
    )
    expect({ id, byKey: byKey?.length }).not.toEqual({ id, byKey: 0 })
    expect({ id, events: byMouse }).toEqual({ id, events: byKey })
    expect({ id, events: byCommand }).toEqual({ id, events: byKey })
  }
  expect(problems).toEqual([])
  await close()
})

/** Enough of a task for what an act says of it. */
function taskLike(number: number) {
  return { number, title: '', labels: [], status: 'todo', priority: 500 } as unknown as Parameters<
    NonNullable<Act['question']>
  >[0]
}

interface Listed {
  readonly type: string
  readonly subject: string
  readonly agent?: string
  readonly data: Readonly<Record<string, unknown>>
}

async function eventsAfter(project: TestProject, since: number) {
  const text = await project.run(
    'event',
    'list',
    '--json',
    '--since',
    String(since),
    '--limit',
    '1000',
  )
  return JSON.parse(text) as { readonly events: readonly Listed[]; readonly latest: number }
}

/** What happened to a task, and in the name of whom. */
function touching(events: readonly Listed[], id: string | undefined): readonly unknown[] {
  return events
    .filter(
      ({ subject, data }) =>
        subject === id || [data['target'], data['source'], data['task_id']].includes(id),
    )
    .map(({ type, agent, data }) => [type, agent, data['changed']])
}

async function taskIds(project: TestProject): Promise<ReadonlyMap<number, string>> {
  const text = await project.run('entity', 'list', '--type', 'task', '--json', '--limit', '100')
  const { entities } = JSON.parse(text) as {
    readonly entities: readonly { readonly number: number; readonly id: string }[]
  }
  return new Map(entities.map(({ number, id }) => [number, id]))
}

it('every act on an entry of knowledge works by its key, by a click and as the command that is shown [page-entry-acts]', async () => {
  await using project = await createProject()
  await project.run('task', 'add', 'Other')
  await project.run('add', 'decision', 'Successor', '--status', 'accepted')
  const operations = ENTITY_ACTS.flatMap(({ id }) =>
    [...WAYS, 'command'].map((way) => ({
      op: 'create',
      type: 'decision',
      title: `${id} by ${way}`,
      properties: { status: 'proposed' },
    })),
  )
  await project.run('entity', 'batch', '--input', JSON.stringify({ operations }))
  const shell = createShell(project)
  const { page, problems, close } = await openPage(browser, project)
  writes.watch(page)
  const first = SUCCESSOR + 1
  const before = await states(project)
  for (const [at, act] of ENTITY_ACTS.entries()) {
    for (const [index, way] of WAYS.entries()) {
      const number = first + at * 3 + index
      const of: Entry = { number, type: 'decision', status: 'proposed' }
      await visit(page, `/k/${number}`)
      await page.getByRole('heading', { name: `${act.id} by ${way}` }).waitFor()
      writes.way = way
      const said = await attempt(page, act, { way, of, answer: ANSWERS[act.id] })
      if (index === 0)
        await shell(said.replace(new RegExp(`\\b${number}\\b`), String(first + at * 3 + 2)))
    }
  }
  const after = await states(project)
  for (const [at, { id }] of ENTITY_ACTS.entries()) {
    const [byKey, byMouse, byCommand] = [0, 1, 2].map((way) => after.get(first + at * 3 + way))
    expect({ id, state: byKey }).not.toEqual({ id, state: before.get(first + at * 3) })
    expect({ id, state: byMouse }).toEqual({ id, state: byKey })
    expect({ id, state: byCommand }).toEqual({ id, state: byKey })
  }
  expect(problems).toEqual([])
  await close()
})

/** The properties of each decision that is there. */
async function states(project: TestProject): Promise<ReadonlyMap<number, unknown>> {
  const text = await project.run('entity', 'list', '--type', 'decision', '--json', '--limit', '100')
  const { entities } = JSON.parse(text) as {
    readonly entities: readonly { readonly number: number; readonly properties: object }[]
  }
  return new Map(entities.map(({ number, properties }) => [number, properties]))
}

it('every act on a reason works by its key, by a click and as the command that is shown, beside the code then and now [page-reason-acts]', async () => {
  await using project = await createProject()
  const { directory } = project
  const files = REASON_ACTS.flatMap(({ id }) =>
    [...WAYS, 'command'].map((way) => `src/${id}-${way}.ts`),
  )
  const write = (tries: number): void => {
    for (const file of files)
      writeFileSync(
        join(directory, file),
        `export function dial(): number {\n  const tries = ${tries}\n  return tries\n}\n`,
      )
  }
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory })
  mkdirSync(join(directory, 'src'))
  write(1)
  git('add', '.')
  git('commit', '--quiet', '--message', 'Dial')
  const regions = files.map((file) => ({ file, anchor: 'dial', intent: 'It dials once' }))
  await project.run('code', 'annotate', '--input', JSON.stringify({ summary: 'Dial', regions }))
  write(2)
  git('commit', '--quiet', '--all', '--message', 'Dial twice')
  const shell = createShell(project)
  const { page, problems, close } = await openPage(browser, project)
  writes.watch(page)
  for (const act of REASON_ACTS) {
    for (const way of WAYS) {
      await visit(page, `/code/src/${act.id}-${way}.ts`)
      await page.getByRole('heading', { name: `src/${act.id}-${way}.ts` }).waitFor()
      const diff = page.locator('.code-diff')
      await diff.waitFor()
      expect((await diff.locator('del').innerText()).trim()).toBe('-   const tries = 1')
      expect((await diff.locator('ins').innerText()).trim()).toBe('+   const tries = 2')
      await page.keyboard.press('n')
      await page.locator('.reasons > .current').waitFor()
      writes.way = way
      const said = await attempt(page, act, {
        way,
        of: { record: '', file: '', intent: '', freshness: {} } as unknown as Parameters<
          typeof act.applies
        >[0],
        answer: ANSWERS[act.id],
      })
      if (way === 'key') await shell(said.replace(`${act.id}-key`, `${act.id}-command`))
    }
  }
  for (const { id } of REASON_ACTS) {
    const told: unknown[] = []
    for (const way of [...WAYS, 'command']) {
      const text = await project.run('code', 'read', `src/${id}-${way}.ts`, '--json')
      const { regions: found } = JSON.parse(text) as {
        readonly regions: readonly {
          readonly freshness: { readonly state: string }
          readonly corrections?: readonly object[]
        }[]
      }
      told.push(
        found.map(({ freshness: { state }, corrections = [] }) => [state, corrections.length]),
      )
    }
    expect({ id, told }).toEqual({ id, told: [told[0], told[0], told[0]] })
    expect({ id, told: told[0] }).not.toEqual({ id, told: [['drifted', 0]] })
  }
  expect(problems).toEqual([])
  await close()
})

it('what a person makes, answers, edits and takes back works by keys and by clicks, and is told as a command [page-other-acts]', async () => {
  await using project = await createProject()
  for (const way of WAYS) {
    await project.run('add', 'note', `Cache by ${way}`, '--content', 'one')
    const number = way === 'key' ? '1' : '2'
    await project.run('update', number, '--content', 'two', '--actor', 'ada')
    await project.run('update', number, '--title', `Caches by ${way}`)
  }
  for (const way of WAYS)
    await project.run('message', 'send', `Cards only, ${way}?`, '--to', 'owner', '--actor', 'ada')
  for (const way of WAYS) await project.run('add', 'note', `By bo, ${way}`, '--actor', `bo-${way}`)
  const { page, origin, problems, close } = await openPage(browser, project)
  writes.watch(page)
  const told = async (command: RegExp): Promise<void> => {
    const notice = page.locator('.notice.ok', { hasText: command })
    await notice.waitFor()
    await notice.getByRole('button', { name: 'Close' }).click()
  }
  for (const way of WAYS) {
    writes.way = way
    const isKey = way === 'key'
    const name = (text: string) => ({ name: text, exact: true })
    const use = async (key: string, button: Locator): Promise<void> =>
      isKey ? await press(page, key) : await button.first().click()
    const number = isKey ? 1 : 2

    await go(page, origin, '/')
    const question = page.locator('.need', { hasText: `Cards only, ${way}?` })
    await question.waitFor()
    if (isKey) await press(page, 'j')
    await use('a', question.getByRole('textbox'))
    await page.keyboard.type('Yes')
    await use('Enter', question.getByRole('button', name('Send')))
    await told(/^waymark answer m\d Yes/)

    await use('c', page.getByRole('button', name('New task')))
    await page.getByRole('dialog').getByLabel('What is to be done?').fill(`Task by ${way}`)
    await use('Enter', page.getByRole('button', name('Create')))
    await told(/waymark task add "Task by \w+"/)

    await go(page, origin, '/knowledge')
    await use('d', page.getByRole('button', name('New decision')))
    await page.getByRole('dialog').getByLabel('What was decided?').fill(`Decision by ${way}`)
    await use('Enter', page.getByRole('button', name('Create')))
    await told(/waymark add decision "Decision by \w+"/)

    await go(page, origin, `/k/${number}`)
    const change = page.locator('.story > li', { hasText: 'two' })
    const undo = change.getByRole('button', name('Undo this…'))
    if (isKey) await undo.focus()
    await use('Shift+z', undo)
    const apply = change.getByRole('button', name('Undo 1 field'))
    await apply.waitFor()
    if (isKey) await press(page, 'Tab')
    await use('Enter', apply)
    await told(new RegExp(`waymark revert ${number} 2`))

    await page.locator('.reader p').getByText('one', { exact: true }).waitFor()
    await use('e', page.getByRole('button', { name: 'Edit' }))
    await page.locator('.editor textarea').fill('three')
    await use('Control+Enter', page.getByRole('button', name('Save')))
    await page.locator('.story > li').nth(4).waitFor()

    const oldest = page.locator('.story > li').last()
    const again = oldest.getByRole('button', { name: 'Say it again' })
    if (isKey) await again.focus()
    await use('Shift+y', again)
    await told(new RegExp(`^waymark restore ${number} 1`))

    await go(page, origin, '/activity')
    await use('Shift+u', page.getByRole('button', name('Undo…')))
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Author').fill(`bo-${way}`)
    await use('Enter', dialog.getByRole('button', name('Preview')))
    await dialog.getByRole('button', name('Undo 1 change')).waitFor()
    await use('Enter', dialog.getByRole('button', name('Undo 1 change')))
    await told(new RegExp(`waymark undo bo-${way} `))

    await go(page, origin, '/health')
    const job = page.locator('.job', { hasText: 'Whether documents, log' })
    const start = job.getByRole('button')
    if (isKey) await start.focus()
    await use('r', start)
    await told(/^waymark job start check/)
    await job.getByText('✓ ok').waitFor()
  }
  expect(problems).toEqual([])
  await close()
})

/** Jobs end before a click can stop them; `waymark job cancel` has a test of its own. */
const NOT_TRIED = new Set(['job.cancel'])

it('the page has no way to change something that the tests above have not gone by key and by mouse [page-acts-complete]', () => {
  const wanted = [...writesOfThePage()].filter((name) => !NOT_TRIED.has(name)).toSorted()
  expect(wanted.length).toBeGreaterThan(20)
  const missing = (way: Way) => wanted.filter((name) => !writes.reached[way].has(name))
  expect({ byKey: missing('key'), byMouse: missing('mouse') }).toEqual({ byKey: [], byMouse: [] })
  const acts = [...TASK_ACTS, ...ENTITY_ACTS, ...REASON_ACTS]
  expect(acts.filter(({ key }) => key === '')).toEqual([])
})

/** The operations that change something and that a source of the page names. */
function writesOfThePage(): ReadonlySet<string> {
  const source = new URL('../../src/', import.meta.url)
  const api = readFileSync(new URL('api.ts', source), 'utf8')
  const writing = new Set(
    [...api.matchAll(/'([a-z_.]+)': \{ effect: '(?:write|delete)'/g)].map(([, name = '']) => name),
  )
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  const texts = files
    .filter((file) => /\.tsx?$/.test(file) && file !== 'api.ts' && !file.startsWith('apps'))
    .map((file) => readFileSync(new URL(file, source), 'utf8'))
  const named = texts.flatMap((text) =>
    [...text.matchAll(/call\(\s*'([a-z_.]+)'/g)].map(([, name = '']) => name),
  )
  return new Set(named.filter((name) => writing.has(name)))
}
