import { createServer } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import { SERVER_INFO } from './answers.ts'

/** The same tools, which are loaded together with zod when a client first needs them. */
export function createLazyServer(): Server {
  return createServer(SERVER_INFO).lazy(['tools'], async (definitions) => {
    const { defineTools } = await import('./baton.ts')
    const { SCHEMAS } = await import('./schemas.ts')
    defineTools(definitions, SCHEMAS)
  })
}
