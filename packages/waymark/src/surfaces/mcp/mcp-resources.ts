import {
  type CallContext,
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  resourceNotFound,
  type ResourceTemplate,
  type ServerHandler,
} from '@waymark/baton'
import type { Context } from '../../core/context.ts'
import type {
  Dialect,
  DialectResource,
  DialectResources,
  ResourceSpelling,
} from '../../dialects/dialect.ts'
import { findRoute } from '../../dialects/resource-address.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import { once } from '../../support/once.ts'
import { toVisibleJson } from '../../support/text/visible-text.ts'
import { inStep } from './in-step.ts'
import { readApp } from './mcp-apps.ts'
import { type McpOptions, serveCall, toProtocolError } from './mcp-call.ts'
import type { ResourceWatch } from './resource-watch.ts'

const LONGEST_LOGGED = 200

export type OwnedResource = DialectResource & {
  readonly owner: DialectResources
  readonly dialect: Dialect
}

export function resourcesOf({ dialects }: Pick<McpOptions, 'dialects'>): readonly OwnedResource[] {
  return dialects.flatMap((dialect) =>
    (dialect.resources?.listed ?? []).map((resource) => ({
      ...resource,
      owner: dialect.resources!,
      dialect,
    })),
  )
}

/** Serves operations as MCP resources, with subscriptions. */
export function createResources(options: McpOptions, watch: ResourceWatch): ServerHandler {
  const all = resourcesOf(options)
  if (all.length === 0) return {}
  const resources = all.filter(({ template }) => !isFamily(template)).map(toResource)
  const templates = all.filter(isTemplate).map(toTemplate)
  const loaders = new Map(all.map(({ owner }) => [owner, once(() => owner.load())]))

  const read = async (
    uri: string,
    call: CallContext,
    prepare?: (context: Context) => Promise<void>,
  ): Promise<ReadResourceResult> => {
    const { resource, variables, page } = findRoute(all, uri)
    const spellings = await loaders.get(resource.owner)?.()
    const spelling: ResourceSpelling | undefined = spellings?.[resource.template]
    if (spelling === undefined) throw resourceNotFound(uri)
    return await serveCall(options, call, {
      subject: { uri: uri.slice(0, LONGEST_LOGGED) },
      run: async (context) => {
        await prepare?.(context)
        const input = spelling.toInput(variables, page)
        const { operation } = spelling
        const { loadSync } = resource.dialect
        const work = () => execute(context, operation, input)
        const output =
          loadSync === undefined ? await work() : await inStep(loadSync, context, operation, work)
        if (spelling.toContent !== undefined) {
          return { contents: [{ uri, ...spelling.toContent(output) }] }
        }
        const result = spelling.toResult(output, page)
        const text = typeof result === 'string' ? result : toVisibleJson(result)
        return { contents: [{ uri, mimeType: resource.mimeType, text }] }
      },
    })
  }
  return {
    listResources: () => resources,
    listResourceTemplates: () => templates,
    readResource: async (uri, call) =>
      (await readApp(options, uri, call)) ??
      (await withErrors(all, uri, call, () => read(uri, call))),
    // Reading it once says whether it is there to be watched.
    subscribe: (uri, call) =>
      withErrors(all, uri, call, async () => {
        await read(uri, call, ({ store }) => watch.follow(store))
      }),
  }
}

function isFamily(template: string): boolean {
  return template.includes('{')
}

function isTemplate({ template, isPaged }: DialectResource): boolean {
  return isFamily(template) || isPaged === true
}

function toResource({ template, name, description, mimeType }: DialectResource): Resource {
  return { uri: template, name, description, mimeType }
}

function toTemplate(resource: DialectResource): ResourceTemplate {
  const { template, name, description, mimeType } = resource
  const query = resource.isPaged === true ? '{?limit,offset}' : ''
  return { uriTemplate: `${template}${query}`, name, description, mimeType }
}

async function withErrors<T>(
  all: readonly OwnedResource[],
  uri: string,
  call: CallContext,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // An address that is none of ours belongs to no dialect; the first one answers for it.
    const owner = ownerOf(all, uri) ?? all[0]?.owner
    const coded = owner?.toErrorCode?.(error, uri)
    if (coded === undefined && error.code === 'not_found') throw resourceNotFound(uri)
    const { code, message, data } = toProtocolError(error, coded, call)
    throw new ProtocolError(code, message, { uri, ...(typeof data === 'object' && data) })
  }
}

function ownerOf(all: readonly OwnedResource[], uri: string): DialectResources | undefined {
  return all.find(({ template }) => uri.startsWith(template.slice(0, template.indexOf('://') + 3)))
    ?.owner
}
