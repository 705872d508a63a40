// baton on stdio without a schema library; only started, never called.
import { serveStdio } from '@waymark/baton/node'
import { createPlainServer } from './baton-plain.ts'

await serveStdio(createPlainServer()).closed
