// Runs `waymark hook` on what happens in a session.
import { randomUUID } from 'node:crypto'
import { spawn } from 'node:child_process'

const COMMAND = ["waymark"]
const EDITORS = /^(?:edit|write|patch|multiedit|apply_patch)$/
const PATIENCE_MS = 10000

const hook = (event, cwd, input) =>
  new Promise((resolve) => {
    const [program, ...args] = COMMAND
    const child = spawn(program, [...args, 'hook', event, '--host', 'opencode'], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: PATIENCE_MS,
      windowsHide: true,
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stdin.on('error', () => {})
    child.on('error', () => resolve({}))
    child.on('close', () => {
      try {
        resolve(JSON.parse(output))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })

export const Waymark = async ({ client, directory }) => {
  const briefed = new Set()

  const run = (event, session, more = {}) =>
    hook(event, directory, { session_id: session, cwd: directory, ...more })

  const remind = async (session) => {
    const { data } = await client.session.get({ path: { id: session } })
    // A subagent's session: the one that started it is reminded.
    if (data?.parentID) return
    const { block } = await run('stop', session)
    if (!block) return
    const body = { parts: [{ type: 'text', text: block }] }
    await client.session.prompt({ path: { id: session }, body })
  }

  return {
    'chat.message': async ({ sessionID }, { message, parts }) => {
      const events = briefed.has(sessionID) ? ['prompt'] : ['session-start', 'prompt']
      briefed.add(sessionID)
      const answers = await Promise.all(events.map((event) => run(event, sessionID)))
      const texts = answers.flatMap(({ context }) => context ?? [])
      const at = { sessionID, messageID: message.id, type: 'text', synthetic: true }
      parts.push(...texts.map((text) => ({ id: 'prt_waymark' + randomUUID(), ...at, text })))
    },
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      if (!EDITORS.test(tool)) return
      const call = { tool_name: tool, tool_input: args }
      const { reserved } = await run('before-edit', sessionID, call)
      if (reserved) throw new Error(reserved)
    },
    'tool.execute.after': async ({ tool, sessionID, args }) => {
      if (EDITORS.test(tool)) await run('after-edit', sessionID, { tool_name: tool, tool_input: args })
    },
    'experimental.session.compacting': async ({ sessionID }, output) => {
      const { context } = await run('before-compaction', sessionID)
      if (context) output.context.push(context)
    },
    event: async ({ event: { type, properties } }) => {
      if (type === 'session.idle') remind(properties.sessionID).catch(() => {})
      if (type === 'session.deleted') await run('session-end', properties.info?.id)
    },
  }
}
