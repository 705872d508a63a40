import type { Browser } from 'playwright-core'
import { ask, serve } from '../everyday/server.ts'
import { quantile } from '../statistics.ts'
import { bar, type Row } from './report.ts'
import { openWatched, type UiServer } from './watched-page.ts'

const QUESTIONS = 10
const LONGEST_MS = 1000

/** From the answer of the person in the page to the call of the agent that waits for it. */
export async function measureAnswering(
  browser: Browser,
  server: UiServer,
  directory: string,
): Promise<readonly Row[]> {
  await using watched = await openWatched(browser, server.link())
  await using agent = await serve(directory)
  const { page } = watched
  await watched.go('/')
  const delays: number[] = []
  for (let at = 1; at <= QUESTIONS; at += 1) {
    const body = `Which format, try ${at}?\n- JSON\n- MessagePack`
    await ask(agent, ['message_send', { body, to: 'owner' }])
    const { latest } = (await ask(agent, ['events', { limit: 1 }])) as { latest: number }
    const types = ['message.sent']
    const waiting = ask(agent, ['events', { since: latest, wait_seconds: 60, types }])
    const question = page.locator('.need', { hasText: `try ${at}?` })
    const option = question.getByRole('button', { name: 'JSON' })
    await option.waitFor()
    const answered = performance.now()
    await option.click()
    await waiting
    delays.push(performance.now() - answered)
  }
  const slowest = quantile(delays, 1)
  return [
    bar(
      '23',
      `answer in the page to the agent, slowest of ${QUESTIONS}`,
      slowest,
      LONGEST_MS,
      'ms',
    ),
  ]
}
