// baton on stdio, with zod as baton hands it on; it speaks both wires.
import { serveStdio } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'
import { SCHEMAS } from './schemas-one-file.ts'

await serveStdio(createBatonServer(SCHEMAS)).closed
