/** What a server said about itself when spoken to like a host does. */
export type Probe =
  | {
      readonly isOk: true
      readonly server: string
      readonly tools: number
      readonly milliseconds: number
    }
  | { readonly isOk: false; readonly problem: string }

/** How the probe calls itself. It is no host, so its connections are not recorded. */
export const PROBE_CLIENT = 'waymark-doctor'

export interface ProbeOptions {
  readonly timeoutMs: number
}

/** Sends one request and waits for its answer. */
export type Ask = (method: string, params: object) => Promise<unknown>
export type Tell = (method: string) => Promise<void>

/** An answer that no client could work with. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
}

/** What every host does first: shake hands, then ask for the tools. */
export async function shakeHands(ask: Ask, tell: Tell): Promise<Probe> {
  const start = performance.now()
  const hello = toFields(await ask('initialize', HELLO))
  await tell('notifications/initialized')
  const { tools } = toFields(await ask('tools/list', {}))
  if (!Array.isArray(tools)) throw new ProbeError('answered `tools/list` without a list of tools')
  const { name, version } = toFields(hello['serverInfo'])
  return {
    isOk: true,
    server: `${String(name)} ${String(version)}`,
    tools: tools.length,
    milliseconds: Math.round(performance.now() - start),
  }
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: PROBE_CLIENT, version: '1' },
}

/** The result of a JSON-RPC answer. */
export function resultOf(message: unknown, method: string): unknown {
  const { result, error } = toFields(message)
  if (error === undefined) return result
  throw new ProbeError(
    `answered \`${method}\` with an error: ${String(toFields(error)['message'])}`,
  )
}

export function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export function toProblem(error: unknown): Probe {
  if (error instanceof ProbeError) return { isOk: false, problem: error.message }
  throw error
}
