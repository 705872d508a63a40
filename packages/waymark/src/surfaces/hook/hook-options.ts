import type { Command } from 'commander'
import { type HookEvent, HOOK_EVENTS, HOOK_HOSTS } from '../../hook/host/hosts.ts'
import { addExample } from '../cli/help/help.ts'
import type { Terminal } from '../terminal/terminal.ts'

const ABOUT: Readonly<Record<HookEvent, string>> = {
  'session-start': 'Run by a host: answer with the brief when a session begins',
  'before-edit': 'Run by a host: refuse the edit of a file that another agent has reserved',
  'after-edit': 'Run by a host: extend the leases of the agent, remember the file',
  prompt: 'Run by a host: answer with unread messages, if there are any',
  stop: 'Run by a host: remind the agent of tasks that it holds, once',
  'session-end':
    'Run by a host: leave; held tasks are free after two minutes, unless the session is resumed',
  'before-compaction': 'Run by a host: answer with the brief when the context is about to shrink',
}

const HOSTS = Object.keys(HOOK_HOSTS).join(', ')

/** `waymark hook <event> --host <name>`, beside the commands for Git hooks. */
export function addHostHooks(group: Command, terminal: Terminal): void {
  for (const event of HOOK_EVENTS) {
    const command = group
      .command(event)
      .description(ABOUT[event])
      .option('--host [name]', `whose JSON is on standard input: ${HOSTS}`)
      // Hosts take the exit code of a wrong command line for a refusal.
      .allowUnknownOption()
      .allowExcessArguments()
      .action(async ({ host }: { host?: string | true }, inner: Command) => {
        const { runHook } = await import('./run-hook.ts')
        const { directory } = inner.optsWithGlobals<{ directory?: string }>()
        await runHook(event, host === true ? undefined : host, {
          ...terminal,
          cwd: directory ?? terminal.cwd,
        })
      })
    addExample(command, '--host claude-code')
  }
}
