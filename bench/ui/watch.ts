import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { AGENT_VARIABLES } from '../../packages/waymark/src/surfaces/agent-host.ts'
import { WAYMARK } from '../everyday/server.ts'
import { toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { bar, type Row } from './report.ts'

const ROUNDS = 15
const REPORT = fileURLToPath(new URL('../report-cpu.cjs', import.meta.url))
/** At the end of the first screen. */
const DRAWN = /q quit|\bquit\b/

/** What the first screen of the live view costs beside the command that prints the same facts once, both in a terminal. */
export async function measureWatch(directory: string): Promise<readonly Row[]> {
  const samples = await takeTurns(ROUNDS, {
    watch: () => cpuInTerminal(directory, 'watch'),
    status: () => cpuInTerminal(directory, 'status'),
  })
  const ratio = toRatio(samples.get('watch') ?? [], samples.get('status') ?? [])
  return [bar('26', 'CPU of the first screen of waymark watch, in waymark status', ratio, 1.1, 'x')]
}

/** Milliseconds of CPU of the command in a terminal of its own, which is told to quit once it has drawn. */
async function cpuInTerminal(cwd: string, command: 'watch' | 'status'): Promise<number> {
  const noAgent = Object.fromEntries(AGENT_VARIABLES.map((name) => [name, '']))
  const line = [process.execPath, '-r', REPORT, WAYMARK, command].map(quoted).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { ...process.env, ...noAgent, PAGER: 'cat', WAYMARK_PAGER: '' },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  })
  let [report, shown, hasQuit] = ['', '', false]
  child.stdio[3]?.on('data', (chunk) => (report += String(chunk)))
  child.stdout?.on('data', (chunk) => {
    shown += String(chunk)
    if (command !== 'watch' || hasQuit || !DRAWN.test(shown)) return
    hasQuit = true
    child.stdin?.write('q')
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0 || report === '')
    throw new Error(`${command} ended with ${String(code)}: ${shown}`)
  return Number(report) / 1000
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
