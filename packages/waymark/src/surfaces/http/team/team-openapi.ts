import type * as z from 'zod'
import { type JsonSchema, toJsonSchema } from '../../../core/input/schema.ts'
import { newMember, newQuota, newToken, TEAM_ROUTES } from './team-route.ts'

interface Described {
  readonly summary: string
  readonly body?: z.ZodType
  readonly query?: readonly string[]
}

/** What each route of a team server does, and what it takes. */
const DESCRIBED: Readonly<Record<string, Described>> = {
  'GET me': { summary: 'Your name and your role in the project' },
  'POST redeem': { summary: 'Exchange an invitation, which is the bearer token, for a token' },
  'GET members': { summary: 'List the members of the project' },
  'PUT members/:name': { summary: 'Add a member, or change its role', body: newMember },
  'DELETE members/:name': { summary: 'Remove a member' },
  'GET tokens': { summary: 'List tokens and invitations, with when each was last used' },
  'POST tokens': { summary: 'Create a token; it is shown once', body: newToken },
  'POST invitations': { summary: 'Create an invitation; it is shown once', body: newToken },
  'DELETE tokens/:name': { summary: 'Revoke a token or an invitation' },
  'GET organisation': { summary: 'The organisation of the project, and its members' },
  'PUT organisation/:name': { summary: 'Add a member to the organisation', body: newMember },
  'DELETE organisation/:name': { summary: 'Remove a member from the organisation' },
  'GET quotas': { summary: 'List quotas of the project and its members' },
  'PUT quotas/:name': { summary: 'Set a quota, or lift it with null', body: newQuota },
  'GET audit': { summary: 'Read the audit log, newest first', query: ['before', 'limit'] },
}

const ANSWERS = {
  '200': { description: 'Done' },
  default: { description: 'Why it could not be done, as JSON' },
}

const PROJECT = { name: 'project', in: 'path', required: true, schema: { type: 'string' } }

/** Paths that only a team server has. */
export function toTeamPaths(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of TEAM_ROUTES) {
    const [method = '', resource = ''] = route.split(' ')
    const path = `/projects/{project}/team/${resource.replace(':name', '{name}')}`
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(route, resource) }
  }
  return { ...paths, ...CONTENT_PATHS }
}

function toOperation(route: string, resource: string): JsonSchema {
  const { summary, body, query = [] } = DESCRIBED[route] ?? { summary: route }
  const named = resource.includes(':name') ? [{ ...PROJECT, name: 'name' }] : []
  const asked = query.map((name) => ({ name, in: 'query', schema: { type: 'integer' } }))
  return {
    operationId: `team.${route.replaceAll(/[ /:]+/g, '.').toLowerCase()}`,
    summary,
    parameters: [PROJECT, ...named, ...asked],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: toJsonSchema(body, 'input') } },
      },
    }),
    responses: ANSWERS,
  }
}

/** Where bytes of artifacts are in storage that clients reach themselves. */
const CONTENT_PATHS: JsonSchema = {
  '/projects/{project}/cas/uploads': {
    post: {
      operationId: 'cas.uploads',
      summary: 'Get an address of the storage that takes bytes of a hash',
      parameters: [PROJECT],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['sha256'],
              properties: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
            },
          },
        },
      },
      responses: ANSWERS,
    },
  },
}
