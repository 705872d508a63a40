// Starts the studio in a process of its own, for those who want to see it die.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

/** A studio in a process of its own. */
export interface StudioProcess extends AsyncDisposable {
  readonly url: string
  /** Ends it without any warning. */
  kill(): Promise<void>
}

export async function startProcess(
  stateFolder: string,
  ...flags: string[]
): Promise<StudioProcess> {
  const args = ['--conditions=@waymark/source', '--import', 'tsx', MAIN]
  const child = spawn(
    process.execPath,
    [...args, '--port', '0', '--state-dir', stateFolder, ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const { stdout } = child
  if (stdout === null) throw new Error('the studio has no output')
  for await (const line of createInterface({ input: stdout })) {
    const [url] = /http:\/\/[\d.:]+(?=\/mcp )/.exec(line) ?? []
    if (url !== undefined) return { url, kill, [Symbol.asyncDispose]: kill }
  }
  throw new Error('the studio ended before it listened')
}
