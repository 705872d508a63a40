import type { SearchDocument } from '../search/text/document.ts'
import type { ArtifactRow } from './store.ts'

/** Found by its name, its tags and its type; the bytes themselves are not searched. */
export function toArtifactDocument(artifact: ArtifactRow): SearchDocument {
  const { id, hash, name, mime, tags, creator, createdAt } = artifact
  return {
    kind: 'artifact',
    ref: id,
    type: 'artifact',
    status: null,
    title: name ?? `artifact ${hash.slice(0, 12)}`,
    body: mime,
    tags,
    author: creator,
    createdAt,
    updatedAt: createdAt,
  }
}
