// baton on stdio, with zod as it is installed; only started, never called.
import { serveStdio } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'
import { SCHEMAS } from './schemas.ts'

await serveStdio(createBatonServer(SCHEMAS)).closed
