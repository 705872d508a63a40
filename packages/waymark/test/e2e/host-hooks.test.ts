import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { clinePlugin, pluginFile } from '../../src/install/hosts/hook-files.ts'
import { createProject, createRepository } from '../setup.ts'
import { WAYMARK, waymark } from './binary.ts'

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a hook as a host does: with its JSON on standard input, which may stay open. */
async function hook(
  directory: string,
  words: readonly string[],
  { input = '{}', isOpen = false } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [WAYMARK, 'hook', ...words], { cwd: directory })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  child.stderr.on('data', (chunk) => (err += String(chunk)))
  child.stdin.write(input)
  if (!isOpen) child.stdin.end()
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

const SILENT: Ended = { code: 0, out: '', err: '' }

it('a hook ends with success and without a word where there is nothing to say [hook-process-silent]', async () => {
  await using outside = createRepository()
  await using project = await createProject()
  const stop = ['stop', '--host', 'claude-code']
  const ended = await Promise.all([
    hook(outside.directory, ['session-start', '--host', 'codex']),
    hook(project.directory, stop),
    hook(project.directory, stop, { input: '{"session_id":' }),
    hook(project.directory, stop, { input: '{}', isOpen: true }),
  ])
  expect(ended).toEqual([SILENT, SILENT, SILENT, SILENT])
})

type Hooks = Readonly<Record<string, (input: object, output: object) => Promise<void>>>

it('the plugin of opencode briefs, refuses a reserved file and stays out of other tools [hook-plugin]', async () => {
  await using project = await createProject()
  const { directory } = project
  await waymark(directory, ['task', 'create', 'Parser', '--lock', 'src/**'])
  await waymark(directory, ['--actor', 'bo', 'task', 'claim', '1'])
  const words = [process.execPath, WAYMARK]
  const line = () => ''
  const { 'waymark.js': text = '' } = pluginFile('opencode')({ line, words, platform: 'linux' })
  const file = join(directory, 'plugin.mjs')
  writeFileSync(file, text)
  const { Waymark } = (await import(pathToFileURL(file).href)) as {
    Waymark: (host: object) => Promise<Hooks>
  }
  const hooks = await Waymark({ client: {}, directory })
  const told = { message: { id: 'msg_1' }, parts: [] as object[] }
  for (const _ of ['first', 'second']) await hooks['chat.message']?.({ sessionID: 's' }, told)
  expect(told.parts).toEqual([
    {
      id: expect.stringMatching(/^prt_/),
      sessionID: 's',
      messageID: 'msg_1',
      type: 'text',
      synthetic: true,
      text: expect.stringMatching(/^Waymark, the shared memory/),
    },
  ])
  const before = hooks['tool.execute.before']
  const args = { filePath: join(directory, 'src', 'a.ts') }
  await expect(before?.({ tool: 'edit', sessionID: 's' }, { args })).rejects.toThrow('bo holds #1')
  await before?.({ tool: 'read', sessionID: 's' }, { args })
  await before?.({ tool: 'edit', sessionID: 's' }, { args: { filePath: 'README.md' } })
  const kept = { context: [] as string[] }
  await hooks['experimental.session.compacting']?.({ sessionID: 's' }, kept)
  expect(kept.context).toHaveLength(1)
})

it('the plugin of Cline refuses a reserved file and stays out of other tools [hook-plugin-cline]', async () => {
  await using project = await createProject()
  const { directory } = project
  await waymark(directory, ['task', 'create', 'Parser', '--lock', 'src/**'])
  await waymark(directory, ['--actor', 'bo', 'task', 'claim', '1'])
  const words = [process.execPath, WAYMARK]
  const line = () => ''
  const { 'waymark.js': text = '' } = clinePlugin({ line, words, platform: 'linux' })
  const file = join(directory, 'plugin.mjs')
  writeFileSync(file, text)
  const { default: plugin } = (await import(pathToFileURL(file).href)) as {
    default: {
      setup: (api: object, context: object) => void
      hooks: { beforeTool: (call: object) => Promise<unknown> }
    }
  }
  plugin.setup({}, { workspaceInfo: { rootPath: directory } })
  const call = (toolName: string, path: string) =>
    plugin.hooks.beforeTool({
      snapshot: { conversationId: 'conv_1' },
      toolCall: { toolName },
      input: { path: join(directory, path) },
    })
  expect(await call('editor', 'src/a.ts')).toEqual({
    skip: true,
    reason: expect.stringContaining('bo holds #1 Parser'),
  })
  expect(await call('read_files', 'src/a.ts')).toBeUndefined()
  expect(await call('editor', 'README.md')).toBeUndefined()
})
