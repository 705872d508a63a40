import { createTwoFilesPatch } from 'diff'
import type { FileChange } from './each-file.ts'
import { decode } from './text.ts'

/** A change in the format of `diff -u`. */
export function unifiedDiff({ before, after }: FileChange, name: string): string {
  const patch = createTwoFilesPatch(
    before === undefined ? '/dev/null' : name,
    after === undefined ? '/dev/null' : name,
    toLines(before),
    toLines(after),
  )
  // Before the first file name stand an index line and a ruler that say nothing.
  return patch.slice(patch.indexOf('--- ')).split('\n').map(maskSecret).join('\n')
}

/** Line endings are kept as they are; shown they would only be noise. */
function toLines(bytes: Buffer | undefined): string {
  return decode(bytes).text.replaceAll('\r\n', '\n')
}

const SECRET_NAME = /token|secret|password|passwd|credential|authorization|api[-_]?key/i

/** Context lines may hold credentials, and the diff may end up in an agent's transcript. */
function maskSecret(line: string): string {
  const name = SECRET_NAME.exec(line)
  if (!line.startsWith(' ') || name === null) return line
  const shown = /^[^:=]*[:=]\s*/.exec(line.slice(name.index))?.[0]
  const end = name.index + (shown?.length ?? 0)
  return shown === undefined || end === line.length ? line : `${line.slice(0, end)}…`
}
