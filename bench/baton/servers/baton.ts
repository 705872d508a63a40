import { createServer } from '@waymark/baton'
import type { Definitions, Server } from '@waymark/baton'
import { big, echo, SERVER_INFO } from './answers.ts'
import type { Schemas } from './make-schemas.ts'

/** The two tools on baton, arguments and results validated with zod. */
export function createBatonServer(schemas: Schemas): Server {
  const server = createServer(SERVER_INFO)
  defineTools(server, schemas)
  return server
}

export function defineTools(
  definitions: Definitions,
  { echoInput, bigInput, bigOutput }: Schemas,
): void {
  definitions
    .tool({ name: 'echo', inputSchema: echoInput, run: ({ text }) => echo(text) })
    .tool({ name: 'big', inputSchema: bigInput, outputSchema: bigOutput, run: () => big() })
}
