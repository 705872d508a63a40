// baton on HTTP, with zod as it is installed; only started, never called.
import { listenHttp } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'
import { endWithInput } from './listen.ts'
import { SCHEMAS } from './schemas.ts'

endWithInput()
const { port } = await listenHttp(createBatonServer(SCHEMAS), { authenticator: 'none' })
process.stdout.write(`${port}\n`)
