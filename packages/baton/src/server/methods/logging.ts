import { invalidParams } from '../../protocol/error.ts'
import { isLogLevel } from '../../protocol/server-features/logging.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import type { ConnectionPort, Method } from './method.ts'

/** `logging/setLevel`: sets the log level of a legacy client. */
export const setLogLevel: Method = {
  era: 'legacy',
  run(_runtime: ServerRuntime, call: Call, connection: ConnectionPort): object {
    const { level } = call.params
    if (!isLogLevel(level)) throw invalidParams('level must be a log level')
    if (connection.state !== undefined) {
      connection.setState({ ...connection.state, logLevel: level })
    }
    return {}
  },
}
