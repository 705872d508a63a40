import { useState } from 'preact/hooks'
import { call } from '../../data/call.ts'
import { Command } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { go, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { codeWords } from '../../text/view/code.ts'
import { type Branch, type Counts, type Entry, type Freshness, toTree } from './tree.ts'

/** Folders and files that have reasons, with a strip that says how many still hold. */
export function FileTree({ chosen }: { readonly chosen: string }) {
  const [written, setWritten] = useState('')
  const loaded = useLoad((signal) => call('code.tree', {}, { signal }), 'tree', {
    when: (type) =>
      type === '*' || /^(?:annotation\.|task\.(?:claimed|released|done)|lease\.)/.test(type),
  })
  return (
    <nav class="file-tree" aria-label={en.views.code}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          go(toAddress('code', written.trim()))
        }}
      >
        <input
          aria-label={codeWords.open}
          placeholder={codeWords.open}
          value={written}
          onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        />
      </form>
      <LoadedView of={loaded}>
        {({ entries, total }) => (
          <>
            {entries.length === 0 ? (
              <div class="empty">
                <p>{codeWords.empty}</p>
                <Command text="waymark code annotate --help" />
              </div>
            ) : (
              <p class="muted row">
                <span class="grow">{codeWords.annotated(total.annotated_files, total.files)}</span>
                <Heat counts={total.regions} />
              </p>
            )}
            <Branches
              branches={toTree(entries)}
              chosen={chosen}
              isOpen={entries.length <= OPEN_UP_TO}
            />
          </>
        )}
      </LoadedView>
    </nav>
  )
}

/** A small tree is shown whole. */
const OPEN_UP_TO = 60

interface BranchesProps {
  readonly branches: readonly Branch[]
  readonly chosen: string
  readonly isOpen: boolean
}

function Branches({ branches, chosen, isOpen }: BranchesProps) {
  return (
    <ul>
      {branches.map(({ name, entry, branches: inside }) => (
        <li key={entry.path}>
          {inside.length === 0 ? (
            <a
              class="file-link"
              href={toAddress('code', entry.path)}
              aria-current={entry.path === chosen ? 'true' : undefined}
            >
              <span class="grow clip">{name}</span>
              <Locked entry={entry} />
              <Heat counts={entry.regions} />
            </a>
          ) : (
            <details open={isOpen || chosen.startsWith(entry.path)}>
              <summary class="file-link">
                <span class="grow clip mono">{name}</span>
                <Locked entry={entry} />
                <Heat counts={entry.regions} />
              </summary>
              <Branches branches={inside} chosen={chosen} isOpen={isOpen} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Who has reserved it. */
function Locked({ entry: { locked_by = [] } }: { readonly entry: Entry }) {
  const [first] = locked_by
  if (first === undefined) return null
  const names = locked_by.map(({ agent, task }) => codeWords.reserved(agent, task)).join(', ')
  return (
    <span class="mark info" title={names}>
      ● <span class="visually-hidden">{names}</span>
      <span aria-hidden="true">{first.agent}</span>
    </span>
  )
}

const ORDER: readonly Freshness[] = ['fresh', 'moved', 'drifted', 'orphaned', 'unknown']

/** A strip: how much of what was written still holds. The words are its tooltip and its name. */
function Heat({ counts }: { readonly counts: Counts }) {
  const parts = ORDER.flatMap((state) => {
    const count = counts[state] ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
  const words = parts.map(({ state, count }) => `${count} ${codeWords[state]}`).join(', ')
  return (
    <span class="heat" role="img" aria-label={words} title={words}>
      {parts.map(({ state, count }) => (
        <i key={state} class={state} style={{ flexGrow: count }} />
      ))}
    </span>
  )
}
