import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { answerQuestion } from '../../message/answer.ts'
import { takeBackTask } from '../../task/lease/override/take-back.ts'
import { reopenTask, verifyTask } from '../../task/state/operations.ts'
import { openBrowser } from '../page/open-browser.ts'
import { findPlace, toAddress } from '../page/page-address.ts'
import { createPageSessions } from '../page/page-sessions.ts'
import { findServedPage } from '../page/served-page.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Choice } from './choice.ts'
import type { Act } from './state.ts'

/** Does what the person asked for; answers what happened, in a line. */
export async function perform(context: Context, { name, id, text }: Act): Promise<string> {
  switch (name) {
    case 'verify':
      await execute(context, verifyTask, { id })
      return `verified #${id}`
    case 'reopen':
      await execute(context, reopenTask, { id, reason: text })
      return `reopened #${id}`
    case 'take_back': {
      const { released } = await execute(context, takeBackTask, { id, reason: text })
      return `took #${id} back from ${released.agent_name ?? released.agent_id}; it is told why`
    }
    case 'answer':
      await execute(context, answerQuestion, { question: id, body: text })
      return `answered ${id}`
  }
}

/** Opens the page at the selected row, if a server of the page runs. */
export async function openInPage(
  { store, project, remote }: Context,
  choice: Choice,
  terminal: Terminal,
): Promise<string> {
  const { root, state } = project ?? {}
  if (root === undefined || state === undefined) return 'there is no page of this project'
  const what = choice.kind === 'question' && choice.id.startsWith('m') ? 'inbox' : choice.id
  const served = await findServedPage(state)
  if (served === undefined) return `the page is not served: \`waymark open ${what}\` does it`
  const place = await findPlace(
    { root, store, ...(remote !== undefined && { remote }) },
    terminal.cwd,
    what,
  )
  const code = createPageSessions(state).createCode({ isReadOnly: false })
  const url = toAddress(served.url, place, code)
  return (await openBrowser(url, terminal.env)) ? 'opened in your browser' : `open ${url}`
}

/** The message of a refusal; other errors are no answer and are thrown. */
export function toNotice(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}
