import type { Server } from '@waymark/baton'
import type { Studio } from '../studio.ts'
import { JSON_TYPE, orNotFound, toJson } from './graph-resources.ts'

/** What was made, by whom and from what. */
export function addArtifactResources(server: Server, { artifacts }: Studio): void {
  server.resource({
    uri: 'artifacts://summary',
    name: 'Artifact Summary',
    description: 'Aggregate stats on artifacts',
    mimeType: JSON_TYPE,
    read: () => toJson(artifacts.summary()),
  })
  server.resource({
    uri: 'artifacts://recent',
    name: 'Recent Artifacts',
    description: 'The 10 most recent artifacts',
    mimeType: JSON_TYPE,
    read: () => toJson(artifacts.recent()),
  })
  server.resourceTemplate({
    uriTemplate: 'artifacts://by-tag/{tag}',
    name: 'Artifacts by Tag',
    description: 'Artifacts with a tag such as type:midi',
    mimeType: JSON_TYPE,
    read: (_uri, { tag }) => toJson(artifacts.byTag(tag)),
  })
  server.resourceTemplate({
    uriTemplate: 'artifacts://by-creator/{creator}',
    name: 'Artifacts by Creator',
    description: 'Artifacts by their creator',
    mimeType: JSON_TYPE,
    read: (_uri, { creator }) => toJson(artifacts.byCreator(creator)),
  })
  server.resourceTemplate({
    uriTemplate: 'artifacts://lineage/{id}',
    name: 'Artifact Lineage',
    description: 'An artifact and all that it was made from, the oldest first',
    mimeType: JSON_TYPE,
    read(uri, { id }) {
      const chain = orNotFound(uri, () => artifacts.lineage(id))
      return toJson({ artifact_id: id, depth: chain.length, chain })
    },
  })
}
