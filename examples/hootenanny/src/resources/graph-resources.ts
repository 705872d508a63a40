import { resourceNotFound } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { StudioError } from '../error.ts'
import type { Studio } from '../studio.ts'

export const JSON_TYPE = 'application/json'

/** The studio's devices and cables. */
export function addGraphResources(server: Server, { graph }: Studio): void {
  server.resource({
    uri: 'graph://identities',
    name: 'Audio Identities',
    description: 'All audio device identities with tags',
    mimeType: JSON_TYPE,
    read: () => toJson(graph.find()),
  })
  server.resource({
    uri: 'graph://connections',
    name: 'Audio Connections',
    description: 'All patch cable connections',
    mimeType: JSON_TYPE,
    read: () => toJson(graph.connections()),
  })
  server.resource({
    uri: 'graph://changelog',
    name: 'Audio Graph Changes',
    description: 'What was changed last, the newest first',
    mimeType: JSON_TYPE,
    read: () => toJson(graph.changes()),
  })
  server.resourceTemplate({
    uriTemplate: 'graph://identity/{id}',
    name: 'Identity by ID',
    description: 'One identity with hints and tags',
    mimeType: JSON_TYPE,
    read: (uri, { id }) => toJson(orNotFound(uri, () => graph.identity(id))),
  })
}

/** A value as the text of a resource. */
export function toJson(value: unknown): { readonly text: string } {
  return { text: JSON.stringify(value) }
}

/** What the studio does not have is, to a reader, a resource that is not there. */
export function orNotFound<T>(uri: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof StudioError ? resourceNotFound(uri) : error
  }
}
