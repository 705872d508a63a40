import type { Annotations } from './annotation.ts'
import type { Meta } from '../meta.ts'
import type { Resource, ResourceContents } from './resource.ts'

interface ContentBase {
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

/** Text for a model or a person. */
export interface TextContent extends ContentBase {
  readonly type: 'text'
  readonly text: string
}

/** An image, base64 encoded. */
export interface ImageContent extends ContentBase {
  readonly type: 'image'
  readonly data: string
  readonly mimeType: string
}

/** Audio, base64 encoded. */
export interface AudioContent extends ContentBase {
  readonly type: 'audio'
  readonly data: string
  readonly mimeType: string
}

/** A link to a resource that the client can read. */
export interface ResourceLink extends Resource {
  readonly type: 'resource_link'
}

/** A resource together with its contents. */
export interface EmbeddedResource extends ContentBase {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/** A block of a tool result or prompt message. */
export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource
