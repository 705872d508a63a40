// baton on stdio, with zod that is loaded on first need; only started, never called.
import { serveStdio } from '@waymark/baton/node'
import { createLazyServer } from './baton-lazy.ts'

await serveStdio(createLazyServer()).closed
