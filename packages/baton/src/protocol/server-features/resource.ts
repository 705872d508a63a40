import type { Annotations } from './annotation.ts'
import type { Icon } from '../implementation.ts'
import type { Meta } from '../meta.ts'

/** A resource that can be listed and read. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly size?: number
  readonly icons?: readonly Icon[]
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

/** A family of resources whose URIs follow an RFC 6570 template. */
export interface ResourceTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
  readonly icons?: readonly Icon[]
  readonly annotations?: Annotations
  readonly _meta?: Meta
}

/** The contents of a resource as text. */
export interface TextResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly text: string
  readonly _meta?: Meta
}

/** The contents of a resource as base64 encoded bytes. */
export interface BlobResourceContents {
  readonly uri: string
  readonly mimeType?: string
  readonly blob: string
  readonly _meta?: Meta
}

/** The contents of a resource. */
export type ResourceContents = TextResourceContents | BlobResourceContents

/** How long a client may cache a result, and whether shared caches may. */
export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** The result of `resources/read`; the cache hint is sent to modern clients only. */
export interface ReadResourceResult extends Partial<CacheHint> {
  readonly contents: readonly ResourceContents[]
  readonly _meta?: Meta
}
