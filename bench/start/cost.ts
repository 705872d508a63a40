import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const REPORT = fileURLToPath(new URL('../report-cpu.cjs', import.meta.url))

/** In milliseconds. */
export interface Cost {
  readonly cpu: number
  readonly wall: number
}

/** A process from launch to exit. */
export interface Run {
  readonly args: readonly string[]
  readonly cwd: string
  readonly stdin?: string
  /** Leaves standard input open until the first output, as a host does with a server. */
  readonly isServer?: boolean
}

/** The CPU time of one process, without that of the processes that it starts. */
export async function measure({ args, cwd, stdin, isServer = false }: Run): Promise<Cost> {
  const start = performance.now()
  const child = spawn(process.execPath, ['-r', REPORT, ...args], {
    cwd,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  let [report, errors] = ['', '']
  child.stdio[3]?.on('data', (chunk) => (report += String(chunk)))
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  child.stdout?.once('data', () => child.stdin?.end())
  if (isServer) child.stdin?.write(stdin ?? '')
  else child.stdin?.end(stdin)
  const code = await new Promise((resolve) => child.once('close', resolve))
  // What ends early is quick, but has not answered.
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${errors}`)
  return { cpu: Number(report) / 1000, wall: performance.now() - start }
}
