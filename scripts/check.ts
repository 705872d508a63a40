// Runs every check that needs a build, the quick ones side by side.
import { spawn } from 'node:child_process'

/** Each stage starts when the one before it is over; within one, a step starts when another has ended. */
const STAGES: readonly (readonly string[])[] = [
  ['typecheck', 'conformance', 'lint', 'generate:check', 'deadcode', 'format:check'],
  ['vitest'],
]

/** One more than the cores of a small machine: conformance mostly waits. */
const LANES = 3

for (const stage of STAGES) {
  const failed = await runStage([...stage])
  if (failed.length > 0) {
    console.error(`\nfailed: ${failed.join(', ')}`)
    process.exitCode = 1
    break
  }
}

/** Answers the steps that failed. */
async function runStage(steps: string[]): Promise<string[]> {
  // A step that is alone shows its output as it comes; of others, the output is shown whole when they end.
  const isAlone = steps.length === 1
  const failed: string[] = []
  const runLane = async (): Promise<void> => {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      if (!(await runStep(step, isAlone))) failed.push(step)
    }
  }
  await Promise.all(Array.from({ length: LANES }, runLane))
  return failed
}

async function runStep(script: string, isAlone: boolean): Promise<boolean> {
  const began = performance.now()
  if (isAlone) console.log(`\n> ${script}`)
  const child = spawn('npm', ['run', '--silent', script], {
    stdio: ['ignore', isAlone ? 'inherit' : 'pipe', isAlone ? 'inherit' : 'pipe'],
    // npm is a script for the shell on Windows.
    shell: process.platform === 'win32',
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  if (!isAlone) process.stdout.write(`\n> ${script}\n${output}`)
  console.log(`${code === 0 ? 'ok' : 'failed'}: ${script}, ${seconds} s`)
  return code === 0
}
