import { plainCell } from './plain-cell.ts'

type Schema = Readonly<Record<string, unknown>>

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly toolset?: string
  readonly name: string
  readonly description?: string
  readonly inputSchema: Schema
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean }
}

const DIALECTS: Readonly<Record<string, string>> = {
  waymark:
    'What `waymark serve` speaks. Without `--toolsets` only the tools of `core` are offered; `--toolsets all` offers every one.',
  medulla: '`waymark serve --dialect medulla`',
  tasky: '`waymark serve --dialect tasky`',
  lodestar: '`waymark serve --dialect lodestar`, or `waymark mcp serve`',
  ultragit: '`waymark serve --dialect ultragit`, or `waymark mcp start`',
}

/** The page about tools, from the same lists that are served. */
export function toolsPage(toolsByDialect: ReadonlyMap<string, readonly ListedTool[]>): string {
  const dialects = Object.keys(DIALECTS)
  const sections = dialects.map((name) => describeDialect(name, toolsByDialect.get(name) ?? []))
  return `${[
    '# Tools',
    'Made by `npm run generate` from the tool lists that are served; do not edit it by hand. A parameter in **bold** has to be given.',
    `Dialects: ${dialects.map((name) => `[${name}](#${name})`).join(', ')}.`,
    ...sections,
  ].join('\n\n')}\n`
}

function describeDialect(name: string, tools: readonly ListedTool[]): string {
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))]
  const parts = toolsets.flatMap((toolset) => [
    ...(toolset === undefined ? [] : [`### Toolset \`${toolset}\``]),
    ...tools.filter((tool) => tool.toolset === toolset).map(describeTool),
  ])
  return [`## ${name}`, `${DIALECTS[name] ?? ''} (${tools.length} tools)`, ...parts].join('\n\n')
}

function describeTool({ name, description = '', inputSchema, annotations }: ListedTool): string {
  const properties = Object.entries((inputSchema['properties'] ?? {}) as Record<string, Schema>)
  const required = (inputSchema['required'] ?? []) as readonly string[]
  const rows = properties.map(([field, schema]) => {
    const title = required.includes(field) ? `**\`${field}\`**` : `\`${field}\``
    return `| ${title} | ${plainCell(typeOf(schema))} | ${plainCell(textOf(schema))} |`
  })
  const table = ['| parameter | type | |', '|---|---|---|', ...rows].join('\n')
  return [
    `#### \`${name}\`${effectOf(annotations)}`,
    description.trim(),
    rows.length === 0 ? 'No parameters.' : table,
  ].join('\n\n')
}

function effectOf(annotations: ListedTool['annotations']): string {
  if (annotations?.readOnlyHint === true) return ' (reads)'
  return annotations?.destructiveHint === true ? ' (deletes)' : ''
}

function typeOf(schema: Schema): string {
  const { enum: values, anyOf, type, items, properties } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as Schema)).join(' or ')
  if (type === 'array') return `list of ${typeOf((items ?? {}) as Schema)}`
  if (typeof properties === 'object' && properties !== null)
    return `object: ${Object.keys(properties).join(', ')}`
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'any'
}

function textOf(schema: Schema): string {
  const { description, default: start } = schema
  const text = typeof description === 'string' ? description : ''
  return start === undefined ? text : `${text} (default: ${JSON.stringify(start)})`
}
