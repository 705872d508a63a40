import type { Tool } from '@waymark/baton'
import type * as z from 'zod'
import type { Operation } from '../core/operation.ts'
import type { DialectTool, Fields, ToolAnswer } from './dialect.ts'

type Condition = (args: Fields) => boolean

/** How one operation is called for a tool. */
interface RouteSpelling<Args, Input extends z.ZodObject, Output extends z.ZodType, Result> {
  readonly operation: Operation<Input, Output>
  /** Arguments as the dialect spells them → input of the operation. */
  readonly toInput: (args: Args) => unknown
  /** Output of the operation → result as the dialect spells it. A string is sent as text alone. */
  readonly toResult: (output: z.output<Output>, args: Args) => Result
}

/** A route without the types of its operation, so that routes of different operations fit into one list. */
export interface Route<Args> {
  readonly operation: Operation
  readonly toInput: (args: Args) => unknown
  readonly toAnswer: (output: unknown, args: Args) => ToolAnswer
}

interface ConditionalRoute<Args> extends Route<Args> {
  /** Whether these arguments, as they were sent, ask for this route. */
  readonly when: Condition
}

/** The first route is taken unless the condition of another one holds. */
export type Routes<Args> = readonly [Route<Args>, ...ConditionalRoute<Args>[]]

/** One operation that a tool calls, typed by that operation. */
export function route<Input extends z.ZodObject, Output extends z.ZodType, Result, Args = Fields>(
  spelling: RouteSpelling<Args, Input, Output, Result>,
): Route<Args> {
  const { operation, toInput, toResult } = spelling
  return {
    operation,
    toInput,
    toAnswer: typed(operation, (output, args: Args) => ({ result: toResult(output, args) })),
  }
}

/** A route for some arguments only. */
export function when<Args>(condition: Condition, route: Route<Args>): ConditionalRoute<Args> {
  return { ...route, when: condition }
}

interface ToolDefinition<Args> {
  readonly listed: Tool
  /** The group it belongs to, where the dialect has groups. */
  readonly toolset?: string
  readonly routes: Routes<Args>
  /** Arguments as they were sent → arguments as the routes read them. Throws `invalid_input`. */
  readonly parse: (args: Fields) => Args
  /** The project that the arguments name, if they can. */
  readonly toProject?: DialectTool['toProject'] | undefined
}

/** A tool of a dialect: how it is listed, and which operation its arguments ask for. */
export function defineTool<Args>(definition: ToolDefinition<Args>): DialectTool {
  const { listed, toolset, routes, parse, toProject } = definition
  const [main, ...others] = routes
  const find = (args: Fields): Route<Args> => others.find(({ when }) => when(args)) ?? main
  return {
    listed,
    ...(toolset !== undefined && { toolset }),
    operation: main.operation,
    toOperation: (args) => find(args).operation,
    toCall: (given) => {
      const { operation, toInput, toAnswer } = find(given)
      const args = parse(given)
      return { operation, input: toInput(args), toAnswer: (output) => toAnswer(output, args) }
    },
    ...(toProject !== undefined && { toProject }),
  }
}

/**
 * A function of an operation's output as one of an unknown value. The only place where an output gets its type back
 * without being checked: surfaces pass on what `execute` returned for that very operation.
 */
export function typed<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Rest extends readonly unknown[],
  Result,
>(
  _operation: Operation<Input, Output>,
  work: (output: z.output<Output>, ...rest: Rest) => Result,
): (output: unknown, ...rest: Rest) => Result {
  return (output, ...rest) => work(output as z.output<Output>, ...rest)
}
