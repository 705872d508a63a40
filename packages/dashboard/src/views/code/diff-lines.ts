import { diffLines } from 'diff'
import { codeWords } from '../../text/view/code.ts'

interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'skipped'
  readonly text: string
}

/** Lines around a change that are shown with it. */
const CONTEXT = 3

/** What was removed and added, with a few lines around; the rest is counted. */
export function toDiffLines(before: string, today: string): readonly DiffLine[] {
  const lines = diffLines(before, today).flatMap(({ added, removed, value }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): DiffLine => ({ kind: added ? 'added' : removed ? 'removed' : 'same', text })),
  )
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same')
  const shown: DiffLine[] = []
  let skipped = 0
  const tell = (): void => {
    if (skipped > 0) shown.push({ kind: 'skipped', text: codeWords.sameLines(skipped) })
    skipped = 0
  }
  for (const [at, line] of lines.entries()) {
    if (!isNear(at)) skipped += 1
    else {
      tell()
      shown.push(line)
    }
  }
  tell()
  return shown
}
