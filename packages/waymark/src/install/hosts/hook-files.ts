import { HOOK_EVENTS, HOOK_HOSTS } from '../../hook/host/hosts.ts'
import { WRITTEN_BY } from '../format/whole-file.ts'
import type { Platform } from '../machine/machine.ts'
import type { HookLine } from './hooks.ts'

/** How to run a hook from a file of our own. */
interface HookRun {
  readonly line: HookLine
  /** What starts waymark. */
  readonly words: readonly string[]
  readonly platform: Platform
}

/** The text of each file, by its name. */
export type HookFiles = (run: HookRun) => Readonly<Record<string, string>>

/** Cline runs the program in its folder that is named like the event. */
export const clineScripts: HookFiles = ({ line, platform }) =>
  Object.fromEntries(
    HOOK_EVENTS.flatMap((event) =>
      (HOOK_HOSTS['cline']?.events[event] ?? []).map((name) =>
        platform === 'win32'
          ? [`${name}.ps1`, `# ${about('cline')}\n$input | & ${line(event)}\n`]
          : [name, `#!/bin/sh\n# ${about('cline')}\nexec ${line(event)}\n`],
      ),
    ),
  )

/** A hook of Cline can only end the whole task; a plugin can refuse the one edit, with a reason that the model reads. */
export const clinePlugin: HookFiles = ({ words }) => ({ 'waymark.js': clinePluginSource(words) })

/** A plugin of opencode or of its fork Kilo, which runs our command with what the host tells it. */
export function pluginFile(host: 'opencode' | 'kilo'): HookFiles {
  return ({ words }) => ({ 'waymark.js': pluginSource(host, words) })
}

function about(host: string): string {
  return `${WRITTEN_BY} ${host} --hooks\`, removed by \`waymark install ${host} --uninstall\`.`
}

/** The brief and unread messages go beside the person's words, not into the system prompt: other agents wrote them. */
function pluginSource(host: string, words: readonly string[]): string {
  return `// ${about(host)}
import { randomUUID } from 'node:crypto'
${runnerSource(host, words)}
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
`
}

function clinePluginSource(words: readonly string[]): string {
  return `// ${about('cline')}
${runnerSource('cline', words)}
let folder = process.cwd()

export default {
  name: 'waymark',
  manifest: { capabilities: ['hooks'] },
  setup(_api, { workspaceInfo }) {
    folder = workspaceInfo?.rootPath ?? folder
  },
  hooks: {
    async beforeTool({ snapshot, toolCall, input }) {
      if (!EDITORS.test(toolCall.toolName)) return undefined
      const { contextModification: reason } = await hook('before-edit', folder, {
        taskId: snapshot.conversationId,
        workspaceRoots: [folder],
        preToolUse: { toolName: toolCall.toolName, parameters: input },
      })
      return reason ? { skip: true, reason } : undefined
    },
  },
}
`
}

/** Source of what plugins share: a hook of ours, run with the input of the host. No error of ours stops the host. */
function runnerSource(host: string, words: readonly string[]): string {
  return `import { spawn } from 'node:child_process'

const COMMAND = ${JSON.stringify(words)}
const EDITORS = /^(?:${HOOK_HOSTS[host]?.editors ?? ''})$/
const PATIENCE_MS = 10000

const hook = (event, cwd, input) =>
  new Promise((resolve) => {
    const [program, ...args] = COMMAND
    const child = spawn(program, [...args, 'hook', event, '--host', '${host}'], {
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
`
}
