import type { ClientView } from './client/view.ts'
import { type Block, type Column, joined, type Line, line, table, when } from '../core/show.ts'
import { label } from '../entity/view.ts'
import type { TaskLabel } from '../task/view.ts'
import type { AgentView, HeldTask } from './view.ts'

type Row = AgentView & { readonly held: readonly HeldTask[] }

const COLUMNS: readonly Column<Row>[] = [
  { head: 'NAME', value: ({ name }) => name },
  { head: 'HOLDS', value: ({ held }) => joined(held.map(({ task }) => label(task))), isMain: true },
  { head: 'PRESENCE', value: ({ presence }) => presence },
  { head: 'SEEN', value: ({ seen_at }) => when(seen_at) },
  { head: 'WORKTREE', value: showPlace },
  { head: 'ID', value: ({ id }) => id },
]

export function showPlace({
  worktree,
  branch,
}: Pick<AgentView, 'worktree' | 'branch'>): Line | undefined {
  if (worktree === undefined) return undefined
  return branch === undefined ? line`${worktree}` : line`${worktree} (${branch})`
}

/** `codex-mcp-client 0.166.0 connected 3 min ago (MCP 2025-06-18); last request: tools/call brief, 1 min ago` */
export function describeClient(client: ClientView): Line {
  const { connected_at, asked, asked_at } = client
  return line`${client.client} ${client.version} connected ${when(connected_at)} (MCP ${client.protocol}); last request: ${asked}, ${when(asked_at)}`
}

export function showAgents({
  agents,
  clients,
}: {
  readonly agents: readonly Row[]
  readonly clients: readonly ClientView[]
}): readonly Block[] {
  return [
    agents.length === 0 ? line`no agents` : table(agents, COLUMNS),
    ...clients.map((client) => ({ aside: describeClient(client) })),
  ]
}

/** The result of an operation on one agent. */
export function showAgent({
  agent: { id, name, presence },
  held = [],
  released = [],
  unread_messages: unread = 0,
}: {
  readonly agent: AgentView
  readonly held?: readonly HeldTask[]
  readonly released?: readonly TaskLabel[]
  readonly unread_messages?: number
}): readonly Block[] {
  return [
    line`${id}${name === undefined ? undefined : line` (${name})`} is ${presence}`,
    ...held.map(
      ({ task, lease }) =>
        line`holds ${label(task)}, lease ends ${when(lease.expires_at)}, fence ${lease.fence}`,
    ),
    ...released.map((task) => line`gave back ${label(task)}`),
    ...(unread > 0 ? [line`${unread} unread messages`] : []),
  ]
}
