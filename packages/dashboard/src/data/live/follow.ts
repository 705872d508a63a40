import { loadAgents } from '../agents.ts'
import { loadMessages, loadProposals, loadStatus } from '../task/questions.ts'
import { onEvent } from './refresh.ts'

/** Loads something again after events that concern it, once for each burst of them. */
function reloadOn(pattern: RegExp, load: () => Promise<void>, quietMs: number): void {
  let timer = 0
  onEvent((type) => {
    if (type !== '*' && !pattern.test(type)) return
    // The first event of a burst starts the timer, so that a steady stream cannot put it off for ever.
    if (timer !== 0) return
    timer = setTimeout(
      () => {
        timer = 0
        load().catch(() => {})
      },
      type === '*' ? 0 : quietMs,
    )
  })
}

/** Keeps what is not in the rows of tasks up to date: agents, messages and what needs a person. */
export function startReloading(): void {
  reloadOn(/^(?:agent|task|lease)\./, loadAgents, 400)
  reloadOn(/^(?:message|question)\./, loadMessages, 200)
  reloadOn(/^(?:entity|decision)\./, loadProposals, 400)
  reloadOn(/^(?:message|question|task|lease|entity|relation)\./, loadStatus, 400)
}
