import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isAbsolute } from 'node:path'
import { machineOf } from '../../install/machine/machine.ts'
import { findOnPath, splitWords } from '../../install/machine/program.ts'
import { findAgentHost } from '../agent-host.ts'
import type { Terminal } from './terminal.ts'

type Env = Terminal['env']

const DEFAULT = 'less -FRX'

/**
 * Shows a text in the user's pager and answers whether that worked. The pager is named by the environment alone, never by
 * the repository. It is started without a shell: the same words start it on every system, and nothing in them is code.
 */
export async function page(text: string, env: Env): Promise<boolean> {
  // Ctrl-C is the pager's: `less` ends a search with it and goes on.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const [program, ...options] = findPager(env) ?? []
    if (program === undefined) return false
    const pager = spawn(program, options, {
      stdio: ['pipe', 'inherit', 'inherit'],
      // As git does: colors pass, a short text is only printed, and the text stays on the screen.
      env: { LESS: 'FRX', LV: '-c', ...env },
    })
    // The reader may quit before the end.
    pager.stdin.on('error', ignore)
    pager.stdin.end(text)
    const [code] = await once(pager, 'close')
    return code === 0 || code === null
  } catch {
    return false
  } finally {
    process.off('SIGINT', ignore)
  }
}

/** Undefined where there is none, or where an agent runs the command and could not quit it. */
export function findPager(env: Env): readonly string[] | undefined {
  if (env['TERM'] === 'dumb' || findAgentHost(env) !== undefined) return undefined
  const named = env['WAYMARK_PAGER'] ?? env['PAGER'] ?? DEFAULT
  if (['', 'cat'].includes(named.trim())) return undefined
  const [name = '', ...options] = splitWords(named)
  // A path that depends on the current folder could lead into the repository.
  const isName = !/[\\/]/.test(name)
  const program = isName ? findOnPath(machineOf(env), name) : name
  return program !== undefined && isAbsolute(program) ? [program, ...options] : undefined
}
