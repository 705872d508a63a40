import type * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { print, type Style } from './print.ts'

/** The output of an operation as text for a person. */
export async function render<Output extends z.ZodType>(
  operation: Pick<Operation<z.ZodObject, Output>, 'show'>,
  output: z.output<Output>,
  style: Style,
): Promise<string> {
  return await print(operation.show(output), style)
}
