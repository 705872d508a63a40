import { PROMPTS } from '../../packages/waymark/src/dialects/waymark/prompts.ts'
import type { ListedTool } from './tools-page.ts'

/** What packages/waymark/package.json says and these files repeat. */
export interface PackageFacts {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly mcpName: string
  readonly bin: { readonly waymark: string }
  readonly engines: { readonly node: string }
}

/** The entry in the MCP registry. It names no npm package while ours is unpublished: another publisher could take the name. */
export function serverJson({ mcpName, version, description }: PackageFacts): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Waymark',
    description,
    version,
  }
}

/** The manifest of an MCP bundle of the package's folder. Desktop hosts know of no project, so they ask for one. */
export function bundleManifest(facts: PackageFacts, tools: readonly ListedTool[]): object {
  const { name, version, description, license, bin, engines } = facts
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Waymark',
    version,
    description,
    author: { name: 'The Waymark authors' },
    license,
    server: {
      type: 'node',
      entry_point: bin.waymark,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${bin.waymark}`, '-C', '${user_config.repository}', 'serve'],
      },
    },
    tools: tools.map((tool) => ({ name: tool.name, description: tool.description })),
    prompts: PROMPTS.map((prompt) => {
      const names = prompt.arguments.map((argument) => argument.name)
      const placeholders = names.map((each) => [each, `\${arguments.${each}}`] as const)
      return {
        name: prompt.name,
        description: prompt.description,
        arguments: names,
        text: prompt.render(Object.fromEntries(placeholders)),
      }
    }),
    user_config: {
      repository: {
        type: 'directory',
        title: 'Repository',
        description: 'Git repository in which `waymark init` was run',
        required: true,
      },
    },
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
  }
}
