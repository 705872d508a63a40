// The official SDK 2.x on stdio; it takes the wire that the first message speaks.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { endWithInput } from './listen.ts'
import { createSdk2Server } from './sdk2.ts'

endWithInput()
serveStdio(createSdk2Server)
