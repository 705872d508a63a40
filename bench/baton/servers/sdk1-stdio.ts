// The official SDK 1.x on stdio.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { endWithInput } from './listen.ts'
import { createSdk1Server } from './sdk1.ts'

endWithInput()
await createSdk1Server().connect(new StdioServerTransport())
