import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const CHILD = new URL('notes-child.ts', import.meta.url)

interface NotesWriter {
  readonly child: ChildProcess
  readonly acknowledged: readonly string[]
  readonly closed: Promise<number | null>
}

/** A writer in a process of its own; `acknowledged` grows with each note that it was told is written. */
export function startWriter(
  directory: string,
  name: string,
  notes: readonly string[],
): NotesWriter {
  const args = [bundleProgram(CHILD), directory, name, ...notes]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => acknowledged.push(line))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, acknowledged, closed }
}
