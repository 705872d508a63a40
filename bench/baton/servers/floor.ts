import { big, echo, SERVER_INFO } from './answers.ts'

interface Request {
  readonly id?: number
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: { readonly text: string }
    readonly _meta?: object
  }
}

const MODERN_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO }
const TOOLS = [{ name: 'echo' }, { name: 'big' }]
const CAPABILITIES = { tools: {} }

/** The least that any server has to do for a message: parse, decide, serialise. It checks nothing. */
export function answer(text: string): string | undefined {
  const request = JSON.parse(text) as Request
  if (request.id === undefined) return undefined
  return JSON.stringify({ jsonrpc: '2.0', id: request.id, result: toResult(request) })
}

function toResult({ method, params }: Request): object {
  switch (method) {
    case 'tools/call': {
      const result = params?.name === 'big' ? big() : echo(params?.arguments?.text ?? '')
      if (params?._meta === undefined) return result
      return { resultType: 'complete', _meta: MODERN_META, ...result }
    }
    case 'tools/list':
      return { tools: TOOLS }
    case 'server/discover':
      return {
        resultType: 'complete',
        _meta: MODERN_META,
        ttlMs: 0,
        cacheScope: 'private',
        supportedVersions: ['2026-07-28'],
        capabilities: CAPABILITIES,
      }
    default:
      return {
        protocolVersion: '2025-11-25',
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
      }
  }
}
