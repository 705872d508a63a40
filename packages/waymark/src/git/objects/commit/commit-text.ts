export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  /** `Name <address>`. */
  readonly who: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly message: string
}

/** What a commit says, as Git keeps it. */
export function toCommitText({ tree, parents, who, at, message }: NewCommit): string {
  const signature = `${who} ${Math.floor(at / 1000)} +0000`
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature}`,
    `committer ${signature}`,
  ]
  return `${lines.join('\n')}\n\n${message}\n`
}
