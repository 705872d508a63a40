import type { ContentStore } from '@waymark/cas'
import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { openContents } from './store.ts'

/** Where the bytes of this project's artifacts are. */
export function contentsOf({ project, hosted, maxArtifactBytes }: ReadContext): ContentStore {
  const folder = hosted?.contents ?? project?.state
  if (folder !== undefined) return openContents(folder, maxArtifactBytes)
  if (hosted !== undefined) {
    const message = 'this server keeps no artifacts; its operator has to start it with --artifacts'
    throw new Failure('not_initialised', message)
  }
  throw new Failure('not_initialised', 'artifacts need a Waymark project: run `waymark init` first')
}
