import type { DiskCall } from '../system/disk-shim.ts'

/** The record of a program that does not flush at all, or only the files and not the folders with their names. */
export function withoutFlushes(calls: readonly DiskCall[], fault: string): DiskCall[] {
  const files = new Set(calls.flatMap((call) => (call.kind === 'write' ? [call.path] : [])))
  return calls.filter(
    (call) => call.kind !== 'flush' || (fault === 'folders_not_flushed' && files.has(call.path)),
  )
}
