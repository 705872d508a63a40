import type { ScopePolicy } from '@waymark/baton/http'
import type { Dialect, DialectResource, DialectTool, Fields } from '../../dialects/dialect.ts'
import { findRoute } from '../../dialects/resource-address.ts'
import { Failure } from '../../core/error.ts'
import type { Operation } from '../../core/operation.ts'
import { requiredScopes } from '../../core/scopes.ts'
import { offersPrompts } from '../mcp/mcp-prompts.ts'
import { toolsByName } from '../mcp/mcp-tools.ts'

type Needs = (params: Fields) => readonly ScopedOperation[]
type ScopedOperation = Pick<Operation, 'name' | 'effect'>

/**
 * The scopes of each request, known before it runs: a client that gets a challenge can request more scopes, which is
 * impossible once the response has started. Unknown tools and resources need no scope; the response is "not found".
 */
export async function loadNeeds(
  dialects: readonly Dialect[],
): Promise<NonNullable<ScopePolicy['needs']>> {
  const [tools, resources] = await Promise.all([toolsByName(dialects), loadResources(dialects)])
  const ofUri = (uri: unknown): readonly ScopedOperation[] => operationsAt(resources, uri)
  const needsByMethod = new Map<string, Needs>([
    ['tools/call', ({ name, arguments: args }) => operationsOf(tools.get(String(name)), args)],
    ['resources/read', ({ uri }) => ofUri(uri)],
    ['resources/subscribe', ({ uri }) => ofUri(uri)],
    ['subscriptions/listen', ({ notifications }) => watchedBy(notifications).flatMap(ofUri)],
    ['prompts/list', () => (offersPrompts({ dialects }) ? [LIST_PROMPTS] : [])],
    ['prompts/get', ({ name }) => (isStoredPrompt(dialects, name) ? [RENDER_PROMPT] : [])],
    // Such a dialect sends all events to every session, without a subscription.
    ['initialize', () => (dialects.some(({ toNews }) => toNews !== undefined) ? [HEAR_NEWS] : [])],
  ])
  return ({ method, params = {} }) =>
    (needsByMethod.get(method)?.(params) ?? []).flatMap((operation) => requiredScopes(operation))
}

const LIST_PROMPTS: ScopedOperation = { name: 'prompt.list', effect: 'read' }
const RENDER_PROMPT: ScopedOperation = { name: 'prompt.render', effect: 'read' }
const HEAR_NEWS: ScopedOperation = { name: 'event.list', effect: 'read' }

function operationsOf(tool: DialectTool | undefined, args: unknown): readonly ScopedOperation[] {
  if (tool === undefined) return []
  try {
    return [tool.toOperation(isFields(args) ? args : {})]
  } catch (error) {
    // Invalid arguments are refused later; until then the scopes of the tool's default operation apply.
    if (!(error instanceof Failure)) throw error
    return [tool.operation]
  }
}

type AnsweredResource = DialectResource & { readonly operation: Operation }

async function loadResources(dialects: readonly Dialect[]): Promise<readonly AnsweredResource[]> {
  const loaded = await Promise.all(
    dialects.map(async ({ resources }) => {
      const spellings = (await resources?.load()) ?? {}
      return (resources?.listed ?? []).flatMap((resource) => {
        const operation = spellings[resource.template]?.operation
        return operation === undefined ? [] : [{ ...resource, operation }]
      })
    }),
  )
  return loaded.flat()
}

function operationsAt(
  resources: readonly AnsweredResource[],
  uri: unknown,
): readonly ScopedOperation[] {
  if (typeof uri !== 'string') return []
  try {
    return [findRoute(resources, uri).resource.operation]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return []
  }
}

function watchedBy(notifications: unknown): readonly unknown[] {
  const uris = isFields(notifications) ? notifications['resourceSubscriptions'] : undefined
  return Array.isArray(uris) ? uris : []
}

/** The prompts that a dialect brings along show nothing that is stored. */
function isStoredPrompt(dialects: readonly Dialect[], name: unknown): boolean {
  const isOwn = dialects.some(({ ownPrompts }) => ownPrompts?.some((own) => own.name === name))
  return offersPrompts({ dialects }) && !isOwn
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
