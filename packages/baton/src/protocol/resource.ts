import type { Annotations } from './annotation.ts'
import type { Icon } from './implementation.ts'
import type { Meta } from './meta.ts'

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

/** How long and for whom a client may keep a result. */
export interface CacheHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** What reading a resource gives; the cache hint reaches modern clients only. */
export interface ReadResourceResult extends Partial<CacheHint> {
  readonly contents: readonly ResourceContents[]
  readonly _meta?: Meta
}
