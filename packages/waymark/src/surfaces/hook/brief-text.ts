import { loadConfig } from '../../core/project/config.ts'
import { openProject } from '../../core/project/project.ts'
import type { HookCall } from '../../hook/host/call.ts'
import { findHookAgent, findPredecessor } from '../../hook/host/session-agent.ts'
import { briefFor } from '../cli/prime-command.ts'
import { type Asking, placeOf } from './hook-place.ts'

/** The brief for the session that begins, or goes on with less context. */
export async function briefText(call: HookCall, asking: Asking): Promise<string> {
  await using project = await openProject(call.folder)
  const { store, root } = project
  const place = await placeOf(call, asking, { root, store })
  const { agent, isCertain } = await findHookAgent(store, place)
  // When a session begins, one that is there already is another.
  const isOwn = call.event !== 'session-start' || call.resumes || isCertain === true
  const reader = (isOwn ? agent : undefined) ?? (await findPredecessor(store, place))
  const config = loadConfig(root, asking.env)
  return await briefFor(project, { config, env: asking.env, host: place.host, agent: reader })
}
