import { allOperations } from '../../operations/index.ts'
import type { DialectTool } from '../dialect.ts'
import { toTool } from '../to-tool.ts'

/** Every operation under its own name, `entity.create` as `entity_create`, with nothing reshaped. */
export async function loadTools(): Promise<readonly DialectTool[]> {
  const operations = await allOperations()
  return operations.map((operation) => {
    const { name, summary, input } = operation
    return {
      listed: toTool({ name: name.replace('.', '_'), description: summary, input }, operation),
      operation,
      toInput: (args) => args,
      toResult: (output) => output,
    }
  })
}
