import { OWNER_ID } from '../agent/agent.ts'
import { toNewAgent } from '../agent/join.ts'
import type { Context } from '../core/context.ts'
import { readUserName } from '../git/config/user-name.ts'

/**
 * Remembers the person whose clone this is: claims of their agents name them in other clones, and their agents get the
 * tasks that are assigned to them.
 */
export async function noteOwner(context: Context): Promise<void> {
  const { store, project } = context
  if (project === undefined || (await store.agents.byId(OWNER_ID)) !== undefined) return
  const name = await readUserName(project.root)
  if (name === null) return
  await store.write(async (tx) => {
    const at = await tx.now(context)
    // Not present: it may be an agent that syncs.
    await tx.agents.put({ ...toNewAgent(OWNER_ID, name, { at, after: 0 }), leftAt: at })
  }, context)
}
