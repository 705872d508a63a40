import { Ajv } from 'ajv'

/** The version of the registry's format that `server.json` names. */
export const SCHEMA_URL =
  'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

const text = (most: number) => ({ type: 'string', minLength: 1, maxLength: most })
const list = (items: object) => ({ type: 'array', items })
const url = { type: 'string', pattern: '^https?://[^\\s]+$' }

/** Registries take exact versions only, and refuse `latest` and what npm reads as a range. */
const version = {
  ...text(255),
  not: {
    anyOf: [{ const: 'latest' }, { pattern: '^[\\^~<>=]|\\|\\||\\s-\\s|(^|\\.)[xX*](\\.|$)' }],
  },
}

const input = {
  type: 'object',
  properties: {
    value: { type: 'string' },
    default: { type: 'string' },
    description: { type: 'string' },
    placeholder: { type: 'string' },
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    choices: list({ type: 'string' }),
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
}

const inputWithVariables = {
  ...input,
  properties: { ...input.properties, variables: { type: 'object', additionalProperties: input } },
}

const keyValue = {
  ...inputWithVariables,
  properties: { ...inputWithVariables.properties, name: { type: 'string' } },
  required: ['name'],
}

const argument = {
  ...inputWithVariables,
  properties: {
    ...inputWithVariables.properties,
    type: { enum: ['positional', 'named'] },
    isRepeated: { type: 'boolean' },
  },
  required: ['type'],
  anyOf: [
    { properties: { type: { const: 'named' }, name: { type: 'string' } }, required: ['name'] },
    {
      properties: { type: { const: 'positional' }, valueHint: { type: 'string' } },
      anyOf: [{ required: ['value'] }, { required: ['valueHint'] }],
    },
  ],
}

const http = {
  type: 'object',
  properties: { type: { enum: ['streamable-http', 'sse'] }, url, headers: list(keyValue) },
  required: ['type', 'url'],
}

const stdio = { type: 'object', properties: { type: { const: 'stdio' } }, required: ['type'] }

const packaged = {
  type: 'object',
  properties: {
    registryType: { enum: ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'maven'] },
    registryBaseUrl: url,
    identifier: text(2000),
    version,
    fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
    runtimeHint: { type: 'string' },
    runtimeArguments: list(argument),
    packageArguments: list(argument),
    environmentVariables: list(keyValue),
    transport: { anyOf: [stdio, http] },
  },
  required: ['registryType', 'identifier', 'transport'],
  anyOf: [
    { properties: { registryType: { const: 'mcpb' } }, required: ['fileSha256'] },
    { properties: { registryType: { not: { const: 'mcpb' } } }, required: ['version'] },
  ],
  additionalProperties: false,
}

/** The rules of the registry, narrower where its publisher refuses what its schema allows. */
const SERVER = {
  type: 'object',
  properties: {
    $schema: { const: SCHEMA_URL },
    name: {
      type: 'string',
      minLength: 3,
      maxLength: 200,
      pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$',
    },
    title: text(100),
    description: text(100),
    version,
    websiteUrl: url,
    repository: {
      type: 'object',
      properties: {
        url,
        source: { type: 'string' },
        id: { type: 'string' },
        subfolder: { type: 'string', pattern: '^(?!/)(?!.*(^|/)\\.\\.?(/|$)).+$' },
      },
      required: ['url', 'source'],
    },
    packages: list(packaged),
    remotes: list(http),
    _meta: { type: 'object' },
  },
  required: ['$schema', 'name', 'description', 'version'],
  additionalProperties: false,
}

const validate = new Ajv({ strict: false, allErrors: true }).compile(SERVER)

/** The fields of a `server.json` that the MCP registry would refuse, as JSON pointers; empty if it takes it. */
export function refusedIn(server: unknown): readonly string[] {
  if (validate(server)) return []
  return (validate.errors ?? []).map(({ instancePath, params }) =>
    [instancePath, params['missingProperty'] ?? params['additionalProperty']]
      .filter((part) => part !== undefined)
      .join('/'),
  )
}
