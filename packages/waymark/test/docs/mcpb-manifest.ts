import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

/**
 * What the manifest of an MCP bundle breaks of its format, by the schema that @anthropic-ai/mcpb (MIT) publishes. Its
 * own validator checks the same and brings 55 packages along.
 */
export function manifestErrors(manifest: unknown): readonly unknown[] {
  const schema = JSON.parse(
    readFileSync(new URL('mcpb-manifest-v0.3.schema.json', import.meta.url), 'utf8'),
  ) as object
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  return validate(manifest) ? [] : (validate.errors ?? [])
}
