import { basename } from 'node:path'
import * as z from 'zod'
import { time, toTime } from '../../entity/view.ts'
import type { ClientConnection } from './store.ts'

export const clientView = z.object({
  client: z.string().describe('As it calls itself'),
  version: z.string(),
  protocol: z.string().describe('Version of MCP'),
  worktree: z.string().optional(),
  connected_at: time,
  asked: z.string().describe('Its last request'),
  asked_at: time,
})
export type ClientView = z.output<typeof clientView>

export function toClientView({
  worktree,
  connectedAt,
  askedAt,
  ...one
}: ClientConnection): ClientView {
  return {
    ...one,
    ...(worktree !== '' && { worktree: basename(worktree) }),
    connected_at: toTime(connectedAt),
    asked_at: toTime(askedAt),
  }
}
