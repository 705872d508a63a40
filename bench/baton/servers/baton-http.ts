// baton on HTTP, with zod; it speaks both wires.
import { listenHttp } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'
import { endWithInput } from './listen.ts'

endWithInput()
const { port } = await listenHttp(createBatonServer(), { authenticator: 'none' })
process.stdout.write(`${port}\n`)
