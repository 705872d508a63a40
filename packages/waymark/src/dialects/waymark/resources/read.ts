import type * as z from 'zod'
import { listArtifacts } from '../../../artifact/operations.ts'
import { readArtifact } from '../../../artifact/content/content.ts'
import { artifactLineage, artifactStats } from '../../../artifact/lineage.ts'
import { violation } from '../../../core/input/parse.ts'
import type { ResourceContent, ResourceSpelling } from '../../dialect.ts'
import { defineResource } from '../../resource.ts'

const RECENT = 10
/** More than this belongs into a file or over HTTP, not into a conversation. */
const LARGEST_CONTENT = 8 * 1024 * 1024

/** How each resource is answered, by its template. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'artifacts://summary': defineResource({ operation: artifactStats, toInput: () => ({}) }),
    'artifacts://recent': defineResource({
      operation: listArtifacts,
      toInput: () => ({ limit: RECENT }),
    }),
    'artifacts://by-tag/{tag}': defineResource({
      operation: listArtifacts,
      toInput: ({ tag }, page) => ({ tag, ...page }),
    }),
    'artifacts://by-creator/{creator}': defineResource({
      operation: listArtifacts,
      toInput: ({ creator }, page) => ({ creator, ...page }),
    }),
    'artifacts://lineage/{id}': defineResource({
      operation: artifactLineage,
      toInput: ({ id }) => ({ id }),
    }),
    'cas://{hash}': defineResource({
      operation: readArtifact,
      toInput: ({ hash }) => ({ id: `cas://${hash}`, max_bytes: LARGEST_CONTENT }),
      toContent,
    }),
  }
}

function toContent(read: z.output<typeof readArtifact.output>): ResourceContent {
  const { mime: mimeType, text, base64 = '', size, next_offset } = read
  if (next_offset !== undefined) {
    throw violation('uri', 'too_large', 'is too large to be read here; write it to a file', {
      max: LARGEST_CONTENT,
      actual: size,
    })
  }
  return text === undefined ? { mimeType, blob: base64 } : { mimeType, text }
}
