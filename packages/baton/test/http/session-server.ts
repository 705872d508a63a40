import type { SessionLimits } from '@waymark/baton/http'
import { type Child, startChild } from '../session/child.ts'

const PROGRAM = new URL('session-server.child.ts', import.meta.url)

export interface SessionServer {
  readonly child: Child
  readonly url: string
}

/** Serves sessions that live in a file from a process of its own. */
export async function startSessionServer(
  path: string,
  limits: Partial<SessionLimits> = {},
): Promise<SessionServer> {
  // Each start gets a new port: another process may have taken the port of the killed server.
  const child = startChild(PROGRAM, path, '0', JSON.stringify(limits))
  await child.printed(1)
  return { child, url: `http://127.0.0.1:${child.lines[0]}/mcp` }
}
