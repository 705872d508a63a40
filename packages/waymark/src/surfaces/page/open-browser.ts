import { spawn } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { machineOf } from '../../install/machine/machine.ts'
import { findOnPath, splitWords } from '../../install/machine/program.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What opens an address with the user's browser, by platform; started without a shell, so no character is code. */
const OPENERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  darwin: [['open']],
  win32: [['rundll32', 'url.dll,FileProtocolHandler']],
}
const OTHERS = [['xdg-open'], ['wslview'], ['gio', 'open']] as const

/** Opens an address in the browser that `BROWSER` names or that the system prefers; false if there is none. */
export async function openBrowser(url: string, env: Terminal['env']): Promise<boolean> {
  const machine = machineOf(env)
  const named = env['BROWSER'] === undefined ? [] : [splitWords(env['BROWSER'])]
  for (const words of [...named, ...(OPENERS[process.platform] ?? OTHERS)]) {
    const [name, ...options] = words
    if (name === undefined) continue
    const program = isAbsolute(name) ? name : findOnPath(machine, name)
    if (program !== undefined && (await starts(program, [...options, url], env))) return true
  }
  return false
}

/** Not waited for: some openers run as long as the browser. */
function starts(program: string, words: readonly string[], env: Terminal['env']): Promise<boolean> {
  return new Promise((resolve) => {
    const opener = spawn(program, words, { stdio: 'ignore', detached: true, env })
    opener.once('error', () => resolve(false))
    opener.once('spawn', () => {
      opener.unref()
      resolve(true)
    })
  })
}
