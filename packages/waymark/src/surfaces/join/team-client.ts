import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { Environment } from '../../core/project/setting.ts'
import type { Remote } from '../../core/remote.ts'
import { enqueue, queued } from '../../sync/transfer/outbox.ts'
import { findJoinedServer, type JoinedServer } from './joined-servers.ts'
import { createCall, readAnswer, toRequest } from './team-call.ts'

/** The server of a clone, for its contexts; nothing where it has joined none. */
export function remoteOf(state: string, env: Environment): { readonly remote?: Remote } {
  const server = findJoinedServer(state, env)
  return server === undefined ? {} : { remote: createTeamClient(server, state) }
}

export function createTeamClient(server: JoinedServer, state: string): Remote {
  const { url, project } = server
  const call = createCall(server)
  const remote: Remote = {
    url,
    project,
    call,
    openCopy: async () => {
      const { openCopy } = await import('../../sync/transfer/copy.ts')
      return await openCopy(state, remote)
    },
    enqueue: async (waiting) =>
      await enqueue(state, { at: MACHINE_CLOCK.now(), recipient: server, call: waiting }),
    deliver: async (signal) => {
      if (queued(state).length === 0) return undefined
      const { deliver } = await import('../../sync/transfer/deliver.ts')
      return await deliver(state, server, (waiting) => call({ ...waiting, signal }))
    },
    follow: async (query, { lastEventId, signal }) => {
      const path = `/projects/${encodeURIComponent(project)}/api/event.stream?${query}`
      const headers = { ...(lastEventId !== null && { 'last-event-id': lastEventId }) }
      const answer = await fetch(`${url}${path}`, { ...toRequest(server, { headers }), signal })
      if (!answer.ok || answer.body === null) await readAnswer(answer, url)
      return textOf(answer)
    },
  }
  return remote
}

async function* textOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of body ?? []) yield decoder.decode(bytes, { stream: true })
}
