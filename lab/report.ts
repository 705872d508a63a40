import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { HOSTS } from './hosts.ts'
import type { Row } from './row.ts'
import { toTables } from './table.ts'

/** Writes the page, and its rows beside it, so that a later run of some hosts keeps the rows of the others. */
export function writeReport(file: string, rows: readonly Row[]): void {
  const data = file.replace(/\.md$/, '.generated.json')
  const earlier: readonly Row[] = existsSync(data) ? JSON.parse(readFileSync(data, 'utf8')) : []
  const byId = new Map([...earlier, ...rows].map((row) => [row.id, row]))
  const all = HOSTS.flatMap(({ id }) => byId.get(id) ?? [])
  writeFileSync(data, `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(file, toPage(all))
}

export function toPage(rows: readonly Row[]): string {
  return `# Hosts, tried

Made by \`npm run hosts -- --report docs/hosts.md\`; do not edit it by hand. It shows what happens today, faults included.

Each host runs unmodified and unattended, with a home and a repository of its own, against a model service on loopback that plays
the same story to all of them: the model calls \`brief\`, \`remember\`, \`recall\`, \`task_create\` and \`task_next\` with a claim,
edits a file that another agent has reserved and one that is free, and ends its turn. Then the host is started again, told to resume, and the model
completes the task that it claimed, with the fence that it was given. The model also uses the parameters that a host adds to tools. A
proxy refuses all other addresses.

To run it, on Linux or macOS:

\`\`\`sh
npm run hosts                              # installs the hosts from npm on first use, about 2 GB in the temp folder
npm run hosts -- --only claude,codex       # some of them; --help names the options
npm run hosts -- --only codex --keep       # keeps what was said, by the host, the model and Waymark
\`\`\`

- **connected** is what Waymark saw on its pipe after \`waymark install <host> --hooks --instructions\`. *Only by hand* means
  that this was not enough and the host's own file was written instead.
- **tools at start** counts Waymark's tools in the first request to the model; with 0, it has to search for them first.
- **uninstall** compares every file that the install changed with its bytes before; *left* names files that differ.
- A call is **refused by the host** if it did not reach Waymark. An edit is **stopped** if a hook of Waymark prevented it,
  and **told** if the brief had named the reserved file and its holder.
- **Tokens** are those of the answer as the host passes it to the model, by the estimate that Waymark uses for its budgets
  (\`packages/waymark/src/support/text/token-estimate.ts\`). Refusals count as well.
- **form** is the part of an answer that the model gets: its text, its structured data, or both. **Hidden characters** are the
  zero-width, bidirectional and tag characters of a stored title; they should reach no model.

${toTables(rows)}`
}
