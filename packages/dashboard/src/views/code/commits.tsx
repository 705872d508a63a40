import type { Output } from '../../api.ts'
import { Ago, formatExact } from '../../parts/time.tsx'
import { toAddress } from '../../shell/router.ts'
import { codeWords } from '../../text/view/code.ts'

type ShownFile = Output<'code.show'>
type Blamed = NonNullable<ShownFile['blame']>[number]
export type Commit = NonNullable<ShownFile['rev']>

const ID_LENGTH = 8

/** Which commit the file is shown at, and the ways to the one before it and to today. */
export function AtCommit({ path, rev, isBlame }: AtCommitProps) {
  const { commit, subject, author, at } = rev
  const blame: Record<string, string> = isBlame ? { blame: '1' } : {}
  return (
    <p class="at-commit row" role="status">
      <span class="mark info">◷ {codeWords.atCommit(commit.slice(0, ID_LENGTH))}</span>
      <span class="grow">
        {subject} · {author} · <Ago at={Date.parse(at)} />
      </span>
      <a href={toAddress('code', path, { rev: `${commit}^`, ...blame })}>{codeWords.before}</a>
      <a href={toAddress('code', path, blame)}>{codeWords.today}</a>
    </p>
  )
}

interface AtCommitProps {
  readonly path: string
  readonly rev: Commit
  readonly isBlame: boolean
}

interface WriterProps {
  readonly path: string
  readonly blamed: Blamed
  readonly commit: Commit | undefined
  /** On the first line of those that a commit wrote; the others are only its colour. */
  readonly isFirst: boolean
}

/** Who last changed a line. Leads to the file at that commit. */
export function Writer({ path, blamed, commit, isFirst }: WriterProps) {
  if (!isFirst) return <span class="writer" />
  if (commit === undefined) return <span class="writer muted">{codeWords.notCommitted}</span>
  const { commit: rev, subject, author, at } = commit
  return (
    <a
      class="writer"
      href={toAddress('code', blamed.path ?? path, { rev, blame: '1' })}
      title={`${subject} · ${author} · ${formatExact(Date.parse(at))}`}
    >
      <span class="mono">{rev.slice(0, ID_LENGTH)}</span> {author}
    </a>
  )
}
