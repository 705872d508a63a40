import { invalidParams } from '../../protocol/error.ts'
import { isLogLevel } from '../../protocol/logging.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import type { ConnectionPort, Method } from './method.ts'

/** `logging/setLevel`: a legacy client says which log messages it wants from now on. */
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
