import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiMessageRequest,
  McpUiUpdateModelContextRequest,
} from '@modelcontextprotocol/ext-apps'

/** The answer of a tool, as far as a view reads it. */
export interface ToolResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: unknown
}

/** The host in whose conversation the view stands. */
export interface Host {
  /** Calls a tool of Waymark through the host. */
  call(name: string, args: object): Promise<ToolResult>
  /** Writes to the model in the name of the person; the model answers. */
  say(text: string): Promise<void>
  /** Lets the model know what the person did; no answer follows. */
  tell(text: string): Promise<void>
}

export interface View {
  onInput(args: object): void
  onResult(result: ToolResult): void
  onContext(context: McpUiHostContext): void
}

interface Message {
  readonly jsonrpc?: unknown
  readonly id?: number | string
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message?: string }
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

const VERSION = '2026-01-26'
const METHOD_NOT_FOUND = -32_601

/** Speaks with the host by messages to the parent window, in the protocol of MCP Apps. */
export function connect(name: string, view: View): Host {
  const pending = new Map<number, Pending>()
  let lastId = 0

  // The host is of another origin, and which one is not known; what is sent is only what the host has sent here.
  const send = (message: object): void =>
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const request = async (method: string, params: object): Promise<unknown> => {
    const id = ++lastId
    const answer = new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
    send({ id, method, params })
    return await answer
  }
  const answer = (id: Message['id'], result: object): void => {
    if (id !== undefined) send({ id, ...result })
  }
  const settle = ({ id, result, error }: Message): void => {
    const waiting = pending.get(Number(id))
    pending.delete(Number(id))
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message ?? 'the host refused'))
  }
  const receive: Readonly<Record<string, (params: unknown) => void>> = {
    'ui/notifications/tool-input': (params) =>
      view.onInput((params as { arguments?: object }).arguments ?? {}),
    'ui/notifications/tool-result': (params) => view.onResult(params as ToolResult),
    'ui/notifications/tool-cancelled': () =>
      view.onResult({
        isError: true,
        content: [{ type: 'text', text: 'The call was cancelled.' }],
      }),
    'ui/notifications/host-context-changed': (params) => view.onContext(params as McpUiHostContext),
    'ui/resource-teardown': () => {},
    ping: () => {},
  }
  window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return
    const { id, method, params } = data
    if (method === undefined) return settle(data)
    const handler = Object.hasOwn(receive, method) ? receive[method] : undefined
    handler?.(params ?? {})
    if (handler !== undefined) answer(id, { result: {} })
    else answer(id, { error: { code: METHOD_NOT_FOUND, message: `no method ${method}` } })
  })
  const introduction: McpUiInitializeRequest['params'] = {
    appInfo: { name: `waymark-${name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: VERSION,
  }
  void request('ui/initialize', introduction).then((result) => {
    view.onContext((result as McpUiInitializeResult).hostContext ?? {})
    send({ method: 'ui/notifications/initialized', params: {} })
    followSize((width, height) =>
      send({ method: 'ui/notifications/size-changed', params: { width, height } }),
    )
  })
  return {
    call: async (tool, args) =>
      (await request('tools/call', { name: tool, arguments: args })) as ToolResult,
    say: async (text) => {
      const params: McpUiMessageRequest['params'] = {
        role: 'user',
        content: [{ type: 'text', text }],
      }
      await request('ui/message', params)
    },
    tell: async (text) => {
      const params: McpUiUpdateModelContextRequest['params'] = { content: [{ type: 'text', text }] }
      await request('ui/update-model-context', params)
    },
  }
}

/** Tells how large the view wants to be, once per frame at most. */
function followSize(tell: (width: number, height: number) => void): void {
  let last = ''
  const observer = new ResizeObserver(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement
    if (last === `${width} ${height}`) return
    last = `${width} ${height}`
    tell(width, height)
  })
  observer.observe(document.documentElement)
  observer.observe(document.body)
}
