import { parseUriTemplate } from '../../internal/uri-template.ts'
import type { UriTemplate } from '../../internal/uri-template.ts'
import type {
  BlobResourceContents,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  TextResourceContents,
} from '../../protocol/server-features/resource.ts'
import type { Awaitable, CallContext } from '../call-context.ts'

/** The result of a `read` function: a complete result, or one content block at the requested URI. */
export type ResourceReading =
  | ReadResourceResult
  | Omit<TextResourceContents, 'uri'>
  | Omit<BlobResourceContents, 'uri'>

/** A resource at a fixed URI: its listing and its read function. */
export interface ResourceDefinition extends Resource {
  readonly read: (uri: string, context: CallContext) => Awaitable<ResourceReading>
}

/** Resources whose URIs follow a template: their listing and their read function. */
export interface ResourceTemplateDefinition extends ResourceTemplate {
  /** Gets the decoded variables of the template; throw `resourceNotFound(uri)` if there is no such resource. */
  readonly read: (
    uri: string,
    variables: Readonly<Record<string, string>>,
    context: CallContext,
  ) => Awaitable<ResourceReading>
}

/** A parsed template with its listing and read function. */
export interface CompiledTemplate {
  readonly listing: ResourceTemplate
  readonly template: UriTemplate
  readonly read: ResourceTemplateDefinition['read']
}

/** Parses the template of a definition. */
export function compileTemplate(definition: ResourceTemplateDefinition): CompiledTemplate {
  const { read, ...listing } = definition
  return { listing, template: parseUriTemplate(listing.uriTemplate), read }
}

/** Converts the result of a `read` function to the result of `resources/read`. */
export function toReadResult(
  reading: ResourceReading,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult {
  if ('contents' in reading) return reading
  return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...reading }] }
}
