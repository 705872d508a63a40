import type * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { listArtifacts } from '../../artifact/operations.ts'
import { readArtifact } from '../../artifact/content/content.ts'
import { artifactLineage, artifactStats } from '../../artifact/lineage.ts'
import { violation } from '../../core/input/parse.ts'
import type { ResourceContent, ResourceSpelling } from '../dialect.ts'

const RECENT = 10
/** More than this belongs into a file or over HTTP, not into a conversation. */
const LARGEST_CONTENT = 8 * 1024 * 1024

/** How each resource is answered, by its template. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'artifacts://summary': spell(artifactStats, () => ({})),
    'artifacts://recent': spell(listArtifacts, () => ({ limit: RECENT })),
    'artifacts://by-tag/{tag}': spell(listArtifacts, ({ tag }, page) => ({ tag, ...page })),
    'artifacts://by-creator/{creator}': spell(listArtifacts, ({ creator }, page) => ({
      creator,
      ...page,
    })),
    'artifacts://lineage/{id}': spell(artifactLineage, ({ id }) => ({ id })),
    'cas://{hash}': {
      ...spell(readArtifact, ({ hash }) => ({ id: `cas://${hash}`, max_bytes: LARGEST_CONTENT })),
      toContent: (output) => toContent(output as z.output<typeof readArtifact.output>),
    },
  }
}

function spell(operation: Operation, toInput: ResourceSpelling['toInput']): ResourceSpelling {
  return { operation, toInput, toResult: (output) => output }
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
