import type { ContentStore } from '@waymark/cas'
import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { openContents } from './store.ts'

/** Where the bytes of this project's artifacts are. */
export function contentsOf({ project, maxArtifactBytes }: ReadContext): ContentStore {
  if (project?.state !== undefined) return openContents(project.state, maxArtifactBytes)
  throw new Failure('not_initialised', 'artifacts need a Waymark project: run `waymark init` first')
}
