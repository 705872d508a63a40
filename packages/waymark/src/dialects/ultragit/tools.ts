import type { Tool } from '@waymark/baton'
import type { Operation } from '../../core/operation.ts'
import { annotateCode } from '../../annotation/write/annotate.ts'
import { codeDependents } from '../../annotation/read/deps.ts'
import { codeHistory } from '../../annotation/read/history.ts'
import { readCode } from '../../annotation/read/read.ts'
import { summariseCode } from '../../annotation/summary/summary.ts'
import { toVisibleJson } from '../../support/text/visible-text.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { defineTool, type Route, route } from '../tool.ts'

type Properties = Readonly<Record<string, { readonly type: string; readonly description: string }>>

const PATH = { type: 'string', description: 'File path relative to repository root' }

/** The words and schemas are those of the spec, letter by letter. */
export function loadTools(): readonly DialectTool[] {
  return [
    define(readCode, {
      name: 'ultragit_read',
      description:
        'Retrieve Ultragit annotations for a file or code region. Returns intent, reasoning, constraints, semantic dependencies, and risk notes captured at commit time. Use before modifying existing code.',
      properties: {
        path: PATH,
        anchor: {
          type: 'string',
          description: "Function or type name to scope the query (e.g., 'MqttClient::connect')",
        },
        lines: { type: 'string', description: "Line range in START:END format (e.g., '42:67')" },
        max_tokens: {
          type: 'integer',
          description: 'Maximum token budget for the response. Output is trimmed to fit.',
        },
      },
    }),
    define(codeDependents, {
      name: 'ultragit_deps',
      description:
        "Find code that depends on behavioral assumptions about the specified function or region. Critical before modifying any function's behavior or signature.",
      properties: {
        path: PATH,
        anchor: { type: 'string', description: 'Function or type name to check dependencies for' },
      },
    }),
    define(codeHistory, {
      name: 'ultragit_history',
      description:
        'Show the reasoning timeline for a code region: what changed and why at each step. Use when debugging surprising behavior.',
      properties: {
        path: PATH,
        anchor: { type: 'string', description: 'Function or type name' },
        limit: {
          type: 'integer',
          description: 'Maximum number of history entries to return. Default: 10.',
        },
      },
    }),
    define(summariseCode, {
      name: 'ultragit_summary',
      description:
        'Get a condensed view of intent and constraints for all annotated regions in a file or directory. Use for broad orientation on an unfamiliar module.',
      properties: {
        path: { type: 'string', description: 'File or directory path relative to repository root' },
        anchor: {
          type: 'string',
          description: 'Optional function or type name to scope the summary',
        },
      },
    }),
    defineTool({
      listed: toTool(
        {
          name: 'ultragit_annotate',
          description:
            'Record why a commit made the code as it is: intent, reasoning, constraints, semantic dependencies, risks. Use after committing.',
          input: annotateCode.input.omit({ replace: true, auto: true }),
        },
        annotateCode,
      ),
      parse: (args) => args,
      routes: [asJson(annotateCode)],
    }),
  ]
}

interface SpecTool {
  readonly name: string
  readonly description: string
  readonly properties: Properties
}

/** A tool with the arguments of its specification; others are ignored. */
function define(operation: Operation, { name, description, properties }: SpecTool): DialectTool {
  const listed: Tool = {
    name,
    description,
    inputSchema: { type: 'object', properties, required: ['path'] },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  }
  return defineTool({
    listed,
    parse: (args) =>
      Object.fromEntries(Object.entries(args).filter(([field]) => field in properties)),
    routes: [asJson(operation)],
  })
}

/** The spec takes and answers what the operation does. */
function asJson(operation: Operation): Route<Fields> {
  return route({ operation, toInput: (args) => args, toResult: (output) => toVisibleJson(output) })
}
