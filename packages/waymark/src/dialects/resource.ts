import type * as z from 'zod'
import type { Operation } from '../core/operation.ts'
import type { ResourceContent, ResourcePage, ResourceSpelling, Variables } from './dialect.ts'
import { typed } from './tool.ts'

interface ResourceDefinition<Input extends z.ZodObject, Output extends z.ZodType> {
  readonly operation: Operation<Input, Output>
  readonly toInput: (variables: Variables, page: ResourcePage) => unknown
  /** Output of the operation → result, sent as JSON; a string is sent as it is. Without it, the output itself. */
  readonly toResult?: (output: z.output<Output>, page: ResourcePage) => unknown
  /** The content with its own media type, in place of a result. */
  readonly toContent?: (output: z.output<Output>) => ResourceContent
}

/** How a resource is answered, typed by the operation that answers it. */
export function defineResource<Input extends z.ZodObject, Output extends z.ZodType>(
  definition: ResourceDefinition<Input, Output>,
): ResourceSpelling {
  const { operation, toInput, toResult = (output) => output, toContent } = definition
  return {
    operation,
    toInput,
    toResult: typed(operation, toResult),
    ...(toContent !== undefined && { toContent: typed(operation, toContent) }),
  }
}
