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
export interface ResourceTemplateDefinition<
  Template extends string = string,
> extends ResourceTemplate {
  readonly uriTemplate: Template
  /** Gets the decoded variables of the template; throw `resourceNotFound(uri)` if there is no such resource. */
  readonly read: (
    uri: string,
    variables: TemplateVariables<Template>,
    context: CallContext,
  ) => Awaitable<ResourceReading>
}

/** The variables of a URI template: `{ id: string }` for `note://{id}`, any names if the template is not a literal. */
export type TemplateVariables<Template extends string> = string extends Template
  ? Readonly<Record<string, string>>
  : { readonly [Name in VariableName<Template>]: string }

type VariableName<Template extends string> =
  Template extends `${string}{${infer Expression}}${infer Rest}`
    ? WithoutOperator<Expression> | VariableName<Rest>
    : never

type WithoutOperator<Expression extends string> = Expression extends `${'+' | '#'}${infer Name}`
  ? Name
  : Expression

/** A parsed template with its listing and read function. */
export interface CompiledTemplate {
  readonly listing: ResourceTemplate
  readonly template: UriTemplate
  readonly read: ResourceTemplateDefinition['read']
}

/** Parses the template of a definition. */
export function compileTemplate<Template extends string>(
  definition: ResourceTemplateDefinition<Template>,
): CompiledTemplate {
  const { read, ...listing } = definition
  return {
    listing,
    template: parseUriTemplate(listing.uriTemplate),
    // A match has a value for each variable of the template.
    read: (uri, variables, context) => read(uri, variables as TemplateVariables<Template>, context),
  }
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
