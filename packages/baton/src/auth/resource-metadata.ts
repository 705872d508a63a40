/** The fields of a protected resource's metadata document, RFC 9728. */
export interface ResourceMetadataOptions {
  /** The URL that clients use, byte for byte: clients compare it with their own. */
  readonly resource: string
  readonly authorizationServers: readonly string[]
  readonly scopes: readonly string[]
  readonly name?: string | undefined
  readonly documentation?: string | undefined
}

/** The metadata document and the paths that serve it. */
export interface ResourceMetadata {
  /** The absolute URL for challenges. */
  readonly url: string
  /** Paths that serve the document: the one of the resource first, then the one at the root. */
  readonly paths: readonly string[]
  readonly body: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const ORIGIN = /^https?:\/\/[^/?#]+/

export function createResourceMetadata({
  resource,
  authorizationServers,
  scopes,
  name,
  documentation,
}: ResourceMetadataOptions): ResourceMetadata {
  assertResource(resource)
  const origin = ORIGIN.exec(resource)?.[0] ?? ''
  // Sliced from the text, because a URL object would add a slash to a bare origin.
  const path = resource.slice(origin.length).split('?')[0] ?? ''
  const ownPath = path === '/' ? WELL_KNOWN : `${WELL_KNOWN}${path}`
  return {
    url: `${origin}${ownPath}`,
    paths: [...new Set([ownPath, WELL_KNOWN])],
    body: JSON.stringify({
      resource,
      authorization_servers: authorizationServers,
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      ...(name !== undefined && { resource_name: name }),
      ...(documentation !== undefined && { resource_documentation: documentation }),
    }),
  }
}

function assertResource(resource: string): void {
  const url = URL.canParse(resource) ? new URL(resource) : undefined
  const isValid =
    url !== undefined &&
    ORIGIN.test(resource) &&
    url.username === '' &&
    url.password === '' &&
    !resource.includes('#') &&
    !/[\s"\\]/.test(resource)
  if (!isValid) throw new Error(`resource "${resource}" is not an http(s) URL without fragment`)
}
