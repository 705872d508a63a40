import * as z from 'zod'
import { showCode } from '../../../annotation/read/margin.ts'
import { showBrief } from '../../../brief/operations.ts'
import type { Operation } from '../../../core/operation.ts'
import { refuseUnknown } from '../../../core/input/parse.ts'
import { toJsonSchema } from '../../../core/input/schema.ts'
import type { Block } from '../../../core/show.ts'
import { showBoard } from '../../../task/board/operations.ts'
import type { DialectTool, Fields } from '../../dialect.ts'
import { defineTool, typed } from '../../tool.ts'
import { tokensOf } from '../budget.ts'
import { maxTokens, toLeanTool, words } from '../define-tool.ts'
import { withoutEmpty } from '../knowledge/brief-tool.ts'
import { showColumns, toColumns } from './board.ts'
import type { AppAddress } from './list.ts'
import { showReasons, toSource } from './source.ts'
import { SHOWN_COLUMNS } from './views.ts'

/**
 * Tools that open a view in hosts that can show one. They are tools of their own, so that those of the default list
 * stay what they are for every other host.
 */
export function loadAppTools(): readonly DialectTool[] {
  return [
    defineApp({
      name: 'show_board',
      page: 'ui://waymark/board',
      description: 'Show the person the board: tasks by state, who holds them, what waits.',
      input: z.object({ labels: words.optional(), assignee: z.string().optional() }),
      operation: showBoard,
      toInput: (args) => ({ ...args, columns: SHOWN_COLUMNS }),
      toResult: toColumns,
      show: showColumns,
    }),
    defineApp({
      name: 'show_brief',
      page: 'ui://waymark/brief',
      description: 'Show the person what the brief tells you: next step, claims, questions, news.',
      input: z.object({
        paths: words.optional(),
        topic: z.string().optional(),
        max_tokens: maxTokens,
      }),
      operation: showBrief,
      toInput: (args) => args,
      toResult: withoutEmpty,
      show: (_, brief) => showBrief.show(brief),
    }),
    defineApp({
      name: 'show_why',
      page: 'ui://waymark/why',
      description: 'Show the person a file with the reasons for its code beside the lines.',
      input: z.object({
        path: z.string(),
        anchor: z.string().optional().describe('function or type'),
        lines: z.string().optional().describe('42:67'),
      }),
      operation: showCode,
      toInput: (args) => args,
      toResult: toSource,
      show: showReasons,
    }),
  ]
}

interface App<Input extends z.ZodObject, Output extends z.ZodType, Result> {
  readonly name: string
  readonly page: AppAddress
  readonly description: string
  readonly input: z.ZodObject
  readonly operation: Operation<Input, Output>
  readonly toInput: (args: Fields) => unknown
  /** What the view draws. Hosts keep it from the model. */
  readonly toResult: (output: z.output<Output>) => Result
  /** What the model reads: all that it needs, also where no view appears. */
  readonly show: (result: Result, output: z.output<Output>) => readonly Block[]
}

function defineApp<Input extends z.ZodObject, Output extends z.ZodType, Result>(
  app: App<Input, Output, Result>,
): DialectTool {
  const { name, page, description, input, operation, toInput, toResult, show } = app
  const toSchema = () => toJsonSchema(input)
  const meta = { ui: { resourceUri: page } }
  // Some hosts show no view for a tool that has annotations.
  const { annotations: _, ...listed } = toLeanTool({ name, description, toSchema, meta }, [
    operation,
  ])
  return defineTool({
    listed,
    toolset: 'apps',
    parse: (args) => {
      refuseUnknown(input, args)
      if ('max_tokens' in args) tokensOf(args)
      return args
    },
    routes: [
      {
        operation,
        toInput,
        toAnswer: typed(operation, (output) => {
          const result = toResult(output)
          return { result, text: show(result, output) }
        }),
      },
    ],
  })
}
