// baton on HTTP, with zod that is loaded on first need; only started, never called.
import { listenHttp } from '@waymark/baton/node'
import { createLazyServer } from './baton-lazy.ts'
import { endWithInput } from './listen.ts'

endWithInput()
const { port } = await listenHttp(createLazyServer(), { authenticator: 'none' })
process.stdout.write(`${port}\n`)
