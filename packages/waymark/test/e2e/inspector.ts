import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WAYMARK } from './binary.ts'

const require = createRequire(import.meta.url)

function inspectorPath(): string {
  const manifest = require.resolve('@modelcontextprotocol/inspector/package.json')
  const { bin } = require(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), bin['mcp-inspector'] ?? '')
}

/** The names of the tools that the official Inspector lists of `waymark <args>`. */
export async function inspect(
  cwd: string,
  args: readonly string[],
  era: 'legacy' | 'modern' = 'legacy',
): Promise<readonly string[]> {
  const asked = ['--method', 'tools/list', '--format', 'json']
  const words = ['--cli', '--protocol-era', era, 'node', WAYMARK, ...args, ...asked]
  const env = { ...process.env, HOME: mkdtempSync(join(tmpdir(), 'waymark-home-')) }
  const out = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [inspectorPath(), ...words], { cwd, env }, (error, text) =>
      error === null ? resolve(text) : reject(error),
    )
  })
  const { result } = JSON.parse(out) as { result: { tools: { name: string }[] } }
  return result.tools.map(({ name }) => name)
}
