import { type Block, type Line, line } from '../core/show.ts'

/** `src/parse.ts — Parser.next`, or the file alone. */
export function place(file: string, anchor: string | undefined): Line {
  return anchor === undefined || anchor === '' ? line`${file}` : line`${file} — ${anchor}`
}

export function shortCommit(commit: string): string {
  return commit.slice(0, 12)
}

/** How the question was understood, and what was left out. */
export function showNotes(notes: readonly string[] = []): readonly Block[] {
  return notes.map((note) => line`> ${note}`)
}

export function showUnreadable(count: number): readonly Block[] {
  return count === 0 ? [] : [line`${count} lines of notes are not read: waymark doctor names them`]
}
