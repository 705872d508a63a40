// baton on stdio, with zod; it speaks both wires.
import { serveStdio } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'

await serveStdio(createBatonServer()).closed
