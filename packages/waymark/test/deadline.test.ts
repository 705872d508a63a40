import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { withDeadline } from '../src/support/deadline.ts'

it('fires though nothing but its own signal is held, and says that it was the time', async () => {
  using deadline = withDeadline(5)
  const { signal } = deadline
  while (!signal.aborted) await sleep(1)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

it('follows the signals it was given, with their reason', () => {
  const controller = new AbortController()
  using deadline = withDeadline(60_000, controller.signal)
  controller.abort('enough')
  expect(deadline.signal.reason).toBe('enough')
  using late = withDeadline(60_000, controller.signal)
  expect(late.signal.reason).toBe('enough')
})

it('leaves nothing running', async () => {
  const controller = new AbortController()
  const deadline = withDeadline(1, controller.signal)
  deadline[Symbol.dispose]()
  await sleep(20)
  controller.abort()
  expect(deadline.signal.aborted).toBe(false)
})
