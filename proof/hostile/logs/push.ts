import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Random } from '../../../packages/baton/test/support/random.ts'
import { SEGMENT_LIMITS } from '../../../packages/waymark/src/sync/log/limits.ts'
import { LOG_REF, NOTES_REF } from './ground.ts'
import type { Attack } from './lines/attacks.ts'
import type { HostileNote } from './note-grammar.ts'

export interface Entry {
  readonly path: string
  /** `D` takes away what is there. */
  readonly mode: string
  readonly body: Buffer
}

export function deletionOf(path: string): Entry {
  return { path, mode: 'D', body: Buffer.alloc(0) }
}

/** Lines of one segment; the rest goes into further ones. */
const LINES_OF_SEGMENT = 40

/** Puts lines into segments that are read, and adds some files to them that are none. */
export function toSegmentFiles(attacks: Iterable<Attack>, random: Random): readonly Entry[] {
  const files: Entry[] = []
  let open: string[] = []
  let size = 0
  const close = (): void => {
    if (open.length > 0) files.push(segment(`${open.join('\n')}\n`))
    open = []
    size = 0
  }
  for (const { lines } of attacks) {
    for (const line of lines) {
      open.push(line)
      size += Buffer.byteLength(line) + 1
      if (open.length >= LINES_OF_SEGMENT || size > SEGMENT_LIMITS.beforeLast / 2) close()
    }
  }
  close()
  return [...files, ...oddFiles(random)]
}

function segment(text: string): Entry {
  return { path: nameOf(text), mode: '100644', body: Buffer.from(text) }
}

function nameOf(text: string | Buffer): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.jsonl`
}

function oddFiles(random: Random): readonly Entry[] {
  const noise = Buffer.from(Array.from({ length: 300 }, () => random.below(256)))
  const large = Buffer.alloc(SEGMENT_LIMITS.all + 1, 'x\n')
  const entry = (path: string, body: Buffer, mode = '100644'): Entry => ({ path, mode, body })
  return [
    entry(nameOf(noise), noise),
    entry(nameOf(noise.subarray(1)), noise),
    entry(nameOf(large), large),
    entry(nameOf(''), Buffer.alloc(0)),
    entry('README.md', noise),
    entry(`folder/${nameOf(noise)}`, noise),
    entry(nameOf('link'), Buffer.from('../../../etc/passwd'), '120000'),
  ]
}

/** What an attacker with push access does, with one commit for each ref. */
export function push(
  remote: string,
  segments: readonly Entry[],
  notes: readonly HostileNote[],
): void {
  const input = Buffer.concat([toCommit(LOG_REF, segments), toCommit(NOTES_REF, notes)])
  execFileSync('git', ['-C', remote, 'fast-import', '--quiet', '--force'], { input, stdio: 'pipe' })
}

function toCommit(ref: string, entries: readonly Entry[]): Buffer {
  const parts = [
    `commit ${ref}\ncommitter mallory <m@example.invalid> 0 +0000\ndata 0\nfrom ${ref}^0\n`,
  ]
  const buffers: Buffer[] = [Buffer.from(parts.join(''))]
  for (const { path, mode, body } of entries) {
    if (mode === 'D') buffers.push(Buffer.from(`D ${path}\n`))
    else if (mode === '160000') buffers.push(Buffer.from(`M ${mode} ${body.toString()} ${path}\n`))
    else {
      buffers.push(Buffer.from(`M ${mode} inline ${path}\ndata ${body.length}\n`), body)
      buffers.push(Buffer.from('\n'))
    }
  }
  return Buffer.concat(buffers)
}
