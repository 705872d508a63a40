// baton on HTTP, with zod as baton hands it on; it speaks both wires.
import { listenHttp } from '@waymark/baton/node'
import { createBatonServer } from './baton.ts'
import { endWithInput } from './listen.ts'
import { SCHEMAS } from './schemas-one-file.ts'

endWithInput()
const { port } = await listenHttp(createBatonServer(SCHEMAS), { authenticator: 'none' })
process.stdout.write(`${port}\n`)
