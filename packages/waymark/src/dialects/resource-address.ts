import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import type { DialectResource, ResourcePage, Variables } from './dialect.ts'

/** A resource that an address leads to. */
export interface Route<Resource extends DialectResource = DialectResource> {
  readonly resource: Resource
  readonly variables: Variables
  readonly page: ResourcePage
}

const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)([^?#\s]*)(?:\?([^#\s]*))?$/i
const LARGEST_PAGE = 100

/** Where an address leads. Fails as `invalid_input` if it is none of ours, as `not_found` if nothing is there. */
export function findRoute<Resource extends DialectResource>(
  resources: readonly Resource[],
  uri: string,
): Route<Resource> {
  const [, scheme = '', path = '', query = ''] = ADDRESS.exec(uri) ?? []
  const ours = resources.filter(({ template }) => template.startsWith(scheme.toLowerCase()))
  if (scheme === '' || ours.length === 0) throw malformed(uri, 'is not the address of a resource')
  const address = scheme.toLowerCase() + path.replace(/\/$/, '')
  for (const resource of ours) {
    const variables = match(resource.template, address, uri)
    if (variables !== undefined) {
      return { resource, variables, page: resource.isPaged === true ? toPage(query, uri) : {} }
    }
  }
  throw new Failure('not_found', `there is no resource ${shorten(uri)}`, {
    details: { field: 'uri', id: shorten(uri), kind: 'resource' },
  })
}

function match(template: string, address: string, uri: string): Variables | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '([^/]+)')
  const found = new RegExp(`^${pattern}$`).exec(address)
  if (found === null) return undefined
  return Object.fromEntries(names.map((name, at) => [name, decode(found[at + 1] ?? '', uri)]))
}

function decode(value: string, uri: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw malformed(uri, 'is not encoded as addresses are')
  }
}

function toPage(query: string, uri: string): ResourcePage {
  const given = new URLSearchParams(query)
  const limit = toNumber(given.get('limit'), 1, uri)
  const offset = toNumber(given.get('offset'), 0, uri)
  return {
    ...(limit !== undefined && { limit: Math.min(limit, LARGEST_PAGE) }),
    ...(offset !== undefined && { offset }),
  }
}

function toNumber(text: string | null, least: number, uri: string): number | undefined {
  if (text === null) return undefined
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= least) return value
  throw malformed(uri, 'must have whole numbers for limit and offset')
}

function malformed(uri: string, message: string): Failure {
  return violation('uri', 'bad_format', message, { value: shorten(uri) })
}

function shorten(uri: string): string {
  return uri.slice(0, 200)
}
