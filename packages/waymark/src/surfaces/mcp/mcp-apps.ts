import { readFile } from 'node:fs/promises'
import {
  type CallContext,
  ERROR_CODES,
  ProtocolError,
  type ReadResourceResult,
} from '@waymark/baton'
import { hasCode } from '../../support/system-error.ts'
import { lookUp } from '../../support/look-up.ts'
import type { McpOptions } from './mcp-call.ts'

/** The extension by which hosts say that they show views of servers. */
const UI_EXTENSION = 'io.modelcontextprotocol/ui'
const PAGE_TYPE = 'text/html;profile=mcp-app'

/** The built pages are this far up from both this file and the bundled chunk. */
const FILES = new URL('../../../dist/ui/apps/', import.meta.url)

/** Whether the client shows views beside the conversation. */
export function showsApps({ clientCapabilities }: CallContext): boolean {
  const types = clientCapabilities.extensions?.[UI_EXTENSION]?.['mimeTypes']
  return Array.isArray(types) && types.includes(PAGE_TYPE)
}

/** The page of a view, for hosts that show it; undefined for every other address and client. */
export async function readApp(
  { dialects }: Pick<McpOptions, 'dialects'>,
  uri: string,
  call: CallContext,
): Promise<ReadResourceResult | undefined> {
  if (!showsApps(call)) return undefined
  const name = dialects.map(({ apps }) => apps && lookUp(apps.pages, uri)).find(Boolean)
  if (name === undefined) return undefined
  const text = await readPage(name)
  // A page needs nothing of elsewhere, so no policy is asked for: the default of hosts allows nothing.
  return {
    contents: [{ uri, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }],
  }
}

async function readPage(name: string): Promise<string> {
  try {
    return await readFile(new URL(name, FILES), 'utf8')
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error
    const message = 'the view is not built; run `npm run build` in the repository of Waymark'
    throw new ProtocolError(ERROR_CODES.internalError, message)
  }
}
