import type { Tool } from '@waymark/baton'

/** Tools as the type check sees those of a generated JSON file, where every constant is a `string`. */
interface GeneratedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: string }
}

/** The tools of a `tools.generated.json`, which `npm run generate` writes from values of the type `Tool`. */
export function listedTools<Extra extends object = object>(
  generated: readonly (GeneratedTool & Extra)[],
): readonly (Tool & Extra)[] {
  return generated as readonly (Tool & Extra)[]
}
