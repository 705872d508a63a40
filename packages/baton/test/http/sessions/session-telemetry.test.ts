import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bundleProgram } from '../../../../../scripts/vitest/bundle-program.ts'

const FIXTURE = new URL('../traced-sessions.child.ts', import.meta.url)

it('a session has spans for its creation, resumption and end, and a metric of its lifetime [session-telemetry-spans-creation]', async () => {
  // In a process of its own, because an SDK is for the whole process.
  const args = [bundleProgram(FIXTURE)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { sessionId, steps, durations } = JSON.parse(stdout) as Record<string, unknown>
  const id = { 'mcp.session.id': sessionId, 'mcp.session_id': sessionId }
  expect(steps).toEqual([
    { name: 'mcp.session.created', attributes: id },
    { name: 'mcp.session.resumed', attributes: { ...id, 'mcp.session.age_ms': 1_500 } },
    { name: 'mcp.session.terminated', attributes: { ...id, 'mcp.session.lifetime_ms': 4_000 } },
  ])
  expect(durations).toMatchObject([
    { value: { count: 1, sum: 4 }, attributes: { 'network.transport': 'tcp' } },
  ])
})
