import { FAILURES } from '../../core/error.ts'
import type { Operation } from '../../core/operation.ts'
import { allOperations } from '../../registry.ts'
import { type JsonSchema, toJsonSchema } from '../../core/input/schema.ts'
import { scopeChoices } from '../../core/scopes.ts'
import { VERSION } from '../../support/version.ts'
import { type Flag, flagsOf } from '../cli/input/flags.ts'

/** Describes every operation as a route, from the schemas that check what is sent. */
export async function createOpenApi(
  serverUrl: string,
  morePaths: JsonSchema = {},
): Promise<JsonSchema> {
  const operations = (await allOperations()).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Waymark',
      version: VERSION,
      description: 'Shared memory and coordination for coding agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    paths: {
      ...Object.fromEntries(operations.map((one) => [`/api/${one.name}`, toPath(one)])),
      ...OTHER_PATHS,
      ...morePaths,
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret of the server, or a token of its OAuth issuer',
        },
      },
      schemas: { Error: ERROR_SCHEMA, ...Object.fromEntries(operations.flatMap(toSchemas)) },
      responses: {
        Error: {
          description: 'Why it could not be done, and whether to try again',
          content: referTo('Error'),
        },
      },
    },
  }
}

const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable'],
      properties: {
        code: { type: 'string', enum: Object.keys(FAILURES) },
        message: { type: 'string' },
        retryable: { type: 'boolean', description: 'Whether the same call may succeed later' },
        details: { type: 'object' },
      },
    },
  },
}

const BYTES: JsonSchema = { content: { 'application/octet-stream': { schema: {} } } }
const REFUSED: JsonSchema = { description: 'Why it could not be done, as JSON' }

/** What is served beside the operations. */
const OTHER_PATHS: JsonSchema = {
  '/health': {
    get: {
      operationId: 'health',
      summary: 'Whether the server can read its store',
      security: [],
      responses: { '200': { description: 'It can' }, '503': { description: 'It cannot' } },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Figures for Prometheus',
      responses: { '200': { description: 'Text format 0.0.4' }, default: REFUSED },
    },
  },
  '/api/event.stream': {
    get: {
      operationId: 'event.stream',
      summary: 'Follow what happens as server-sent events, with the rows that it changed',
      parameters: ['since', 'types', 'agents', 'subjects', 'rows'].map((name) => ({
        name,
        in: 'query',
        schema: { type: 'string' },
      })),
      responses: { '200': { description: 'text/event-stream' }, default: REFUSED },
    },
  },
  '/cas': {
    post: {
      operationId: 'cas.add',
      summary: 'Store the body as an artifact',
      parameters: ['name', 'tag', 'link', 'parent', 'variation_set', 'sha256'].map((name) => ({
        name,
        in: 'query',
        schema: { type: 'string' },
      })),
      requestBody: { required: true, ...BYTES },
      responses: { '201': { description: 'The artifact' }, default: REFUSED },
    },
  },
  '/cas/{hash}': {
    get: {
      operationId: 'cas.get',
      summary: 'Read the bytes of an artifact, or a range of them',
      parameters: [{ name: 'hash', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { '200': { description: 'The bytes', ...BYTES }, default: REFUSED },
    },
  },
}

/** By name, as a question and its answer stand in more than one place. */
function toSchemas({ name, input, output }: Operation): readonly (readonly [string, JsonSchema])[] {
  return [
    [`${name}.input`, toJsonSchema(input)],
    [`${name}.output`, toJsonSchema(output, 'output')],
  ]
}

function referTo(name: string): JsonSchema {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } }
}

/** Reads accept a query string; all operations accept a body. */
function toPath(operation: Operation): JsonSchema {
  const { name, effect } = operation
  const post = {
    ...toShared(operation, name),
    parameters: effect === 'read' ? [AGENT] : [AGENT, IDEMPOTENCY_KEY],
    requestBody: { required: true, content: referTo(`${name}.input`) },
  }
  if (effect !== 'read') return { post }
  const query = flagsOf(operation).map(toParameter)
  const get = { ...toShared(operation, `${name}.get`), parameters: [...query, AGENT] }
  return { get, post }
}

function toShared(operation: Operation, operationId: string): JsonSchema {
  return {
    operationId,
    summary: operation.summary,
    tags: [operation.name.slice(0, operation.name.indexOf('.'))],
    security: scopeChoices(operation).map((scopes) => ({ bearer: scopes })),
    responses: {
      '200': { description: 'Done', content: referTo(`${operation.name}.output`) },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

const AGENT: JsonSchema = {
  name: 'Waymark-Agent',
  in: 'header',
  description: 'Tells agents with the same credential apart',
  schema: { type: 'string', maxLength: 100 },
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Idempotency key: a retry with the same key gets the first response',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

function toParameter(flag: Flag): Readonly<Record<string, unknown>> {
  const one = { ...PARAMETER_TYPES[flag.kind], ...(flag.choices && { enum: flag.choices }) }
  return {
    name: flag.path.join('.'),
    in: 'query',
    ...(flag.required && { required: true }),
    ...(flag.description !== '' && { description: flag.description }),
    schema: flag.repeatable ? { type: 'array', items: one } : one,
  }
}

const PARAMETER_TYPES: Readonly<Record<Flag['kind'], JsonSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  number_or_text: { type: 'string' },
  pair: { type: 'string', description: 'name=value' },
  json: { type: 'string', description: 'JSON' },
}
