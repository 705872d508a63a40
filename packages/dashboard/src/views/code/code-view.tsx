import { route } from '../../shell/router.ts'
import { codeWords } from '../../text/view/code.ts'
import { FileTree } from './file-tree.tsx'
import { SourcePage } from './source-page.tsx'

/** Why the code is the way it is: files with the freshness of their reasons, and reasons beside each line. */
export function CodeView() {
  const path = route.value.rest
  return (
    <div class={path === '' ? 'code-view' : 'code-view reading'}>
      <FileTree chosen={path} />
      {path === '' ? (
        <p class="empty">{codeWords.choose}</p>
      ) : (
        <SourcePage key={path} path={path} />
      )}
    </div>
  )
}
