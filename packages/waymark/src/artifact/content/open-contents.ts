import type { ContentStore } from '@waymark/cas'
import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import type { SharedContents } from '../s3/s3-contents.ts'
import { openContents } from './store.ts'

/** The same where clients may send and fetch bytes without the server; undefined for a folder. */
export function sharedContentsOf(context: ReadContext): SharedContents | undefined {
  const contents = contentsOf(context)
  return 'adopt' in contents ? (contents as SharedContents) : undefined
}

/** Where the bytes of this project's artifacts are. */
export function contentsOf({ project, hosted, maxArtifactBytes }: ReadContext): ContentStore {
  if (hosted?.contents !== undefined) return hosted.contents(maxArtifactBytes)
  if (project?.state !== undefined) return openContents(project.state, maxArtifactBytes)
  if (hosted !== undefined) {
    const message = 'this server keeps no artifacts; its operator has to start it with --artifacts'
    throw new Failure('not_initialised', message)
  }
  throw new Failure('not_initialised', 'artifacts need a Waymark project: run `waymark init` first')
}
