import { parseUriTemplate } from '../../internal/uri-template.ts'
import type { UriTemplate } from '../../internal/uri-template.ts'
import type {
  BlobResourceContents,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from '../../protocol/resource.ts'
import type { Awaitable, CallContext } from '../call-context.ts'

/** What reading gives: contents that say their URI themselves, or one piece that is at the asked URI. */
export type ResourceReading =
  | ReadResourceResult
  | Omit<TextResourceContents, 'uri'>
  | Omit<BlobResourceContents, 'uri'>

/** A resource at a fixed URI: how clients see it, and how to read it. */
export interface ResourceDefinition extends Resource {
  readonly read: (uri: string, context: CallContext) => Awaitable<ResourceReading>
}

/** A family of resources: how clients see it, and how to read one of them. */
export interface ResourceTemplateDefinition extends ResourceTemplate {
  /** Gets the template's variables, decoded; throw `resourceNotFound(uri)` if there is no such resource. */
  readonly read: (
    uri: string,
    variables: Readonly<Record<string, string>>,
    context: CallContext,
  ) => Awaitable<ResourceReading>
}

/** A template that is ready to be matched. */
export interface CompiledTemplate {
  readonly listing: ResourceTemplate
  readonly template: UriTemplate
  readonly read: ResourceTemplateDefinition['read']
}

/** Prepares a template for listing and reading. */
export function compileTemplate(definition: ResourceTemplateDefinition): CompiledTemplate {
  const { read, ...listing } = definition
  return { listing, template: parseUriTemplate(listing.uriTemplate), read }
}

/** Gives a reading the shape that clients expect. */
export function toReadResult(
  reading: ResourceReading,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult {
  if ('contents' in reading) return reading
  return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...reading }] }
}
