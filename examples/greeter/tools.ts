import type { Definitions } from '@waymark/baton'
import * as z from '@waymark/baton/zod'

export function defineTools(definitions: Definitions): void {
  definitions.tool({
    name: 'greet',
    description: 'Greets someone by name',
    inputSchema: z.object({ name: z.string().min(1) }),
    run: ({ name }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
  })
}
