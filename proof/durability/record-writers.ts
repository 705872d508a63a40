import { type DiskCall, readJournal, withShim } from '../system/disk-shim.ts'
import { buildProgram, Program } from '../system/program.ts'
import { type Acknowledgement, isAcknowledgement, type Refusal } from './acknowledgement.ts'
import type { DurabilityFault } from './faults.ts'
import type { WriterAssignment } from './writer.program.ts'

interface Recording {
  readonly directory: string
  /** Folder of the store; what happens elsewhere is not recorded. */
  readonly state: string
  readonly journal: string
  readonly writers: number
  /** Of each writer. */
  readonly writes: number
  readonly seed: number
  readonly fault?: DurabilityFault | undefined
}

/** Lets writers work and returns everything they did to the disk, and said, in the order in which it happened. */
export async function recordWriters(recording: Recording): Promise<DiskCall[]> {
  const { directory, state, journal, writes, seed, fault } = recording
  const script = await buildProgram(new URL('writer.program.ts', import.meta.url))
  const writers = Array.from({ length: recording.writers }, (_, at) => {
    const assignment: WriterAssignment = {
      directory,
      name: `writer ${at}`,
      seed: seed + at,
      writes,
      notes: false,
      fault,
    }
    return new Program(script, assignment, withShim({ root: state, journal }))
  })
  await Promise.all(writers.map((writer) => writer.finish()))
  return readJournal(journal)
}

/** What a writer said in a piece of its output. */
export function acknowledgedIn(text: string): Acknowledgement[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Acknowledgement | Refusal)
    .filter(isAcknowledgement)
}
