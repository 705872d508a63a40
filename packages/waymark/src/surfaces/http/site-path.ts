import type { PageRoute } from '../page/page-routes.ts'

/** A parsed path. */
export type Target = { readonly project: string | undefined } & (
  | { readonly kind: 'mcp'; readonly dialect: string | undefined }
  | { readonly kind: 'api'; readonly operation: string }
  | { readonly kind: 'cas'; readonly collection: string }
  | { readonly kind: 'team'; readonly resource: string; readonly name: string | undefined }
  | { readonly kind: 'metrics' }
  | { readonly kind: 'openapi' }
  /** A file or a view of the page; what it shows is in the address, which only its script reads. */
  | { readonly kind: 'page' }
  | { readonly kind: 'page-route'; readonly route: PageRoute }
)

/** Suffixes of the HTTP+SSE transport. */
const OLD_TRANSPORT: ReadonlySet<string> = new Set(['sse', 'message'])

/**
 * Parses `/mcp`, `/mcp/<dialect>`, `/api/<operation>`, `/cas/<hash>` and `/team/<resource>`, each also below `/projects/<name>`, and
 * `/metrics`, `/openapi.json` and `/ui`. Undefined for other paths. Does not check that the project exists.
 */
export function parsePath(path: string): Target | undefined {
  if (path === '/metrics') return { project: undefined, kind: 'metrics' }
  if (path === '/openapi.json') return { project: undefined, kind: 'openapi' }
  const [, ...parts] = path.split('/')
  if (parts[0] === 'ui') return parsePage(parts.slice(1))
  if (parts[0] !== 'projects') return parsePart(undefined, parts)
  const [, project, ...rest] = parts
  return project === undefined || project === '' ? undefined : parsePart(project, rest)
}

const PAGE_ROUTES = ['session', 'link', 'presence'] as const satisfies readonly PageRoute[]

/** None of them is named like a view: all views have an address of their own. */
function parsePage([part = '', ...rest]: readonly string[]): Target {
  const route = rest.length === 0 ? PAGE_ROUTES.find((known) => known === part) : undefined
  return route === undefined
    ? { project: undefined, kind: 'page' }
    : { project: undefined, kind: 'page-route', route }
}

function parsePart(project: string | undefined, parts: readonly string[]): Target | undefined {
  const [kind, name, ...rest] = parts
  if (kind === 'api' && name !== undefined && rest.length === 0)
    return { project, kind, operation: name }
  if (kind === 'cas' && rest.length === 0) {
    return {
      project,
      kind,
      collection: project === undefined ? '/cas' : `/projects/${project}/cas`,
    }
  }
  if (kind === 'team' && name !== undefined && rest.length <= 1)
    return { project, kind, resource: name, name: rest[0] && decoded(rest[0]) }
  if (kind !== 'mcp') return undefined
  const ends = OLD_TRANSPORT.has(parts.at(-1) ?? '') ? parts.slice(1, -1) : parts.slice(1)
  return ends.length > 1 ? undefined : { project, kind, dialect: ends[0] }
}

/** Names of members may hold any character. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
