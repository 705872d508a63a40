import { useState } from 'preact/hooks'
import { Command } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { go, toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'
import { loadFolders } from './folders.ts'
import { Heat } from './heat.tsx'

/** Folders and files that have reasons, with a strip that says how many still hold. */
export function FileTree({ chosen }: { readonly chosen: string }) {
  const [written, setWritten] = useState('')
  const loaded = useLoad(loadFolders, 'tree', {
    when: (type) => type === '*' || type.startsWith('annotation.'),
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
          aria-label={en.code.open}
          placeholder={en.code.open}
          value={written}
          onInput={({ currentTarget }) => setWritten(currentTarget.value)}
        />
      </form>
      <LoadedView of={loaded}>
        {(folders) => (
          <>
            {folders.length === 0 && (
              <div class="empty">
                <p>{en.code.empty}</p>
                <Command text="waymark code annotate --help" />
              </div>
            )}
            {folders.map(({ path, counts, files }) => (
              <section key={path}>
                <h3 class="row">
                  <span class="grow clip mono">{path}</span>
                  <Heat counts={counts} />
                </h3>
                <ul>
                  {files.map((file) => (
                    <li key={file.path}>
                      <a
                        class="file-link"
                        href={toAddress('code', file.path)}
                        aria-current={file.path === chosen ? 'true' : undefined}
                      >
                        <span class="grow clip">{file.path.replace(/^.*\//, '')}</span>
                        <Heat counts={file.counts} />
                      </a>
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </>
        )}
      </LoadedView>
    </nav>
  )
}
