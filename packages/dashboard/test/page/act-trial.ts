import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Act } from '../../src/acts/act.ts'
import type { TestProject } from './project.ts'

export const WAYS = ['key', 'mouse'] as const
export type Way = (typeof WAYS)[number]

/** Which operations that change something pages asked for, by the way that a person took. */
export function createWrites() {
  const reached = { key: new Set<string>(), mouse: new Set<string>() }
  const writes = {
    way: 'key' as Way,
    reached,
    watch(page: Page): void {
      page.on('request', (request) => {
        const name = /\/api\/([a-z_.]+)$/.exec(new URL(request.url()).pathname)?.[1]
        if (request.method() === 'POST' && name !== undefined) reached[writes.way].add(name)
      })
    },
  }
  return writes
}

/** The name of a key as a browser is told to press it. */
export async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys.split(' ')) await page.keyboard.press(key.replace(/\+([a-z])$/, toUpper))
}

function toUpper(_: string, letter: string): string {
  return `+${letter.toUpperCase()}`
}

/** Does an act by its key or by a click, from its button or from the list of all acts; gives what was printed as a command. */
export async function attempt<Of>(
  page: Page,
  act: Act<Of>,
  { way, of, answer }: { readonly way: Way; readonly of: Of; readonly answer: string | undefined },
): Promise<string> {
  if (way === 'key') await press(page, act.key)
  else await clickAct(page, act.label)
  const question = act.question?.(of)
  if (question !== undefined) await answerDialog(page, { way, question, answer })
  const notice = page.locator('.notice.ok, .notice.bad').last()
  await notice.waitFor()
  const said = await notice.locator('span').first().innerText()
  expect(said).toMatch(/^waymark /)
  await notice.getByRole('button', { name: 'Close' }).click()
  return said
}

async function clickAct(page: Page, label: string): Promise<void> {
  const button = page.locator('#view').getByRole('button', { name: label, exact: true })
  if ((await button.count()) > 0) return await button.first().click()
  await page.locator('#view').getByRole('button', { name: 'All acts' }).click()
  await page.getByRole('option').filter({ hasText: label }).first().click()
}

interface Answered {
  readonly way: Way
  readonly question: NonNullable<ReturnType<NonNullable<Act['question']>>>
  readonly answer: string | undefined
}

async function answerDialog(page: Page, { way, question, answer }: Answered): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  if (question.isConfirmation !== true) {
    expect(answer, `no answer to "${question.text}"`).toBeDefined()
    const field = dialog.getByLabel(question.label).first()
    if (question.options !== undefined) await field.selectOption(answer ?? '')
    else await field.fill(answer ?? '')
  }
  if (way === 'key') await page.keyboard.press('Enter')
  else await dialog.locator('button[type=submit]').click()
}

/** Runs printed commands as a person does who copies them to a shell. */
export function createShell(project: TestProject): (command: string) => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-shell-'))
  // Says how the shell took the command apart: running it in this process takes a tenth of the time of starting another.
  writeFileSync(join(folder, 'waymark'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` }
  return async (command) => {
    const words = execFileSync('sh', ['-c', command], { encoding: 'utf8', env })
    return await project.run(...words.split('\0').slice(0, -1))
  }
}
