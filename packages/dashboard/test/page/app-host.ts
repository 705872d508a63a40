// A host of MCP Apps in a browser: the official bridge, a sandboxed frame and the default policy of hosts.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

declare global {
  interface Window {
    /** Calls a tool of the server under test. */
    callTool(name: string, args: object): Promise<never>
    /** Keeps what the view has told the model. */
    heard(kind: string, text: string): void
    show(html: string, args: Record<string, unknown>, result: never): Promise<void>
  }
}

/** What hosts allow a view that asks for nothing. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'"

const textOf = (blocks: readonly { readonly type: string }[] = []): string =>
  blocks.map((block) => ('text' in block ? String(block.text) : block.type)).join('\n')

window.show = async (html, args, result) => {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style.cssText = 'width: 900px; height: 600px; border: 0'
  document.body.replaceChildren(frame)
  const bridge = new AppBridge(
    null,
    { name: 'test-host', version: '1' },
    { serverTools: {}, message: { text: {} }, updateModelContext: { text: {} } },
    { hostContext: { theme: 'dark' } },
  )
  bridge.oncalltool = ({ name, arguments: given = {} }) => window.callTool(name, given)
  bridge.onmessage = async ({ content }) => {
    window.heard('message', textOf(content))
    return {}
  }
  bridge.onupdatemodelcontext = async ({ content }) => {
    window.heard('context', textOf(content))
    return {}
  }
  const target = frame.contentWindow
  if (target === null) throw new Error('the frame has no window')
  const ready = new Promise<void>((resolve) =>
    bridge.addEventListener('initialized', () => resolve()),
  )
  await bridge.connect(new PostMessageTransport(target, target))
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`
  frame.srcdoc = html.replace('<meta charset="utf-8">', `<meta charset="utf-8">${policy}`)
  await ready
  await bridge.sendToolInput({ arguments: args })
  await bridge.sendToolResult(result)
}
