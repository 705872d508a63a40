import { createServer } from '@waymark/baton'
import type { Definitions, Server } from '@waymark/baton'
import { big, echo, SERVER_INFO } from './answers.ts'
import { BIG_INPUT, BIG_OUTPUT, ECHO_INPUT } from './schemas.ts'

/** The two tools on baton, arguments and results validated with zod. */
export function createBatonServer(): Server {
  const server = createServer(SERVER_INFO)
  defineTools(server)
  return server
}

export function defineTools(definitions: Definitions): void {
  definitions
    .tool({ name: 'echo', inputSchema: ECHO_INPUT, run: ({ text }) => echo(text) })
    .tool({ name: 'big', inputSchema: BIG_INPUT, outputSchema: BIG_OUTPUT, run: () => big() })
}
