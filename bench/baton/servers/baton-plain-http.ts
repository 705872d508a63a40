// baton on HTTP without a schema library; only started, never called.
import { listenHttp } from '@waymark/baton/node'
import { createPlainServer } from './baton-plain.ts'
import { endWithInput } from './listen.ts'

endWithInput()
const { port } = await listenHttp(createPlainServer(), { authenticator: 'none' })
process.stdout.write(`${port}\n`)
