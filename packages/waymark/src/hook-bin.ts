// Started by `bin/waymark.js` for `waymark hook <event> --host <name>`, the words that `waymark install --hooks` writes:
// hosts wait for it at each prompt and edit, so it is a program of its own without the command line.
import { writeSync } from 'node:fs'
import { hookProcess } from './surfaces/hook/run-hook.ts'
import { written } from './support/written.ts'

void run()

/** Always a success: hosts take any other end for a refusal. */
async function run(): Promise<void> {
  try {
    await print(Buffer.from(await hookProcess(process.argv.slice(3))))
  } catch {
    // The host has closed the pipe.
  }
  process.exit()
}

/** Without a stream where it can be helped: making one takes a twentieth of the whole run. */
async function print(answer: Uint8Array): Promise<void> {
  let rest = answer
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
  } catch {
    // The pipe is full and does not block.
    process.stdout.on('error', () => process.exit()).write(rest)
    await written(process.stdout)
  }
}
