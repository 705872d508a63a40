import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type HookCall, parseCall } from '../../src/hook/host/call.ts'
import { editedPaths } from '../../src/hook/host/edited-paths.ts'
import {
  type HookEvent,
  HOOK_EVENTS,
  HOOK_HOSTS,
  type HookHost,
} from '../../src/hook/host/hosts.ts'

const WORLD = { cwd: '/started/here', env: {} }

function host(name: string): HookHost {
  const found = HOOK_HOSTS[name]
  if (found === undefined) throw new Error(`no host ${name}`)
  return found
}

const COMMON = {
  session_id: '0b1c6a4e-8f0e-4a67-9d0e-2f6f3f1c9a11',
  transcript_path: '/home/kim/.claude/projects/-repo/0b1c6a4e.jsonl',
  cwd: '/repo',
}

const PATCH = `*** Begin Patch
*** Update File: src/parser.ts
@@
-const a = 1
+const a = 2
*** Add File: src/new.ts
+export {}
*** Update File: src/old.ts
*** Move to: src/moved.ts
*** Delete File: src/gone.ts
*** End Patch`

/** Input as the documentation of the hosts shows it, where they were not seen to send it: see recorded.test.ts. */
const INPUTS: readonly [string, string, HookEvent, object, Partial<HookCall>][] = [
  [
    'claude-code',
    'MultiEdit',
    'after-edit',
    {
      ...COMMON,
      hook_event_name: 'PostToolUse',
      tool_name: 'MultiEdit',
      tool_input: { file_path: 'src/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
      tool_response: { filePath: '/repo/src/other.ts', success: true },
    },
    { paths: ['/repo/src/a.ts'] },
  ],
  [
    'claude-code',
    'NotebookEdit without questions',
    'before-edit',
    {
      ...COMMON,
      permission_mode: 'bypassPermissions',
      tool_name: 'NotebookEdit',
      tool_input: { notebook_path: '/repo/n.ipynb', cell_id: 'c1', new_source: 'x' },
    },
    { paths: ['/repo/n.ipynb'], isAttended: false },
  ],
  [
    'claude-code',
    'a tool that edits nothing',
    'before-edit',
    { ...COMMON, tool_name: 'Read', tool_input: { file_path: '/repo/src/a.ts' } },
    { paths: [] },
  ],
  [
    'claude-code',
    'the start after a compaction',
    'session-start',
    { ...COMMON, hook_event_name: 'SessionStart', source: 'compact' },
    { resumes: true },
  ],
  [
    'codex',
    'apply_patch',
    'before-edit',
    {
      ...COMMON,
      turn_id: 't-1',
      hook_event_name: 'PreToolUse',
      model: 'gpt-5.2-codex',
      permission_mode: 'default',
      tool_name: 'apply_patch',
      tool_input: { command: PATCH },
      tool_use_id: 'call-1',
    },
    {
      paths: ['src/parser.ts', 'src/new.ts', 'src/old.ts', 'src/moved.ts', 'src/gone.ts'].map(
        (path) => resolve('/repo', path),
      ),
    },
  ],
  [
    'qwen',
    'write_file in yolo mode',
    'before-edit',
    {
      ...COMMON,
      permission_mode: 'yolo',
      tool_name: 'write_file',
      tool_input: { file_path: '/repo/src/a.ts', content: 'x' },
    },
    { paths: ['/repo/src/a.ts'], isAttended: false },
  ],
  [
    'copilot',
    'edit, with its arguments as text',
    'before-edit',
    {
      sessionId: 's-7',
      timestamp: 1704614600000,
      cwd: '/repo',
      toolName: 'edit',
      toolArgs: '{"path":"/repo/src/a.ts","old_str":"a","new_str":"b"}',
    },
    { session: 's-7', paths: ['/repo/src/a.ts'] },
  ],
  [
    'copilot',
    'VS Code’s editFiles',
    'before-edit',
    {
      sessionId: 's-7',
      hookEventName: 'PreToolUse',
      cwd: '/repo',
      tool_name: 'editFiles',
      tool_input: { files: ['src/main.ts', 'src/other.ts'] },
    },
    { paths: ['/repo/src/main.ts', '/repo/src/other.ts'] },
  ],
  [
    'cursor',
    'afterFileEdit',
    'after-edit',
    {
      conversation_id: 'conv-123',
      generation_id: 'gen-456',
      hook_event_name: 'afterFileEdit',
      workspace_roots: ['/repo'],
      file_path: '/repo/src/main.ts',
      edits: [{ old_string: 'const foo = 1', new_string: 'const foo = 2' }],
    },
    { session: 'conv-123', folder: '/repo', paths: ['/repo/src/main.ts'] },
  ],
  [
    'cursor',
    'a stop after its own follow-up',
    'stop',
    { conversation_id: 'conv-123', status: 'completed', loop_count: 1 },
    { isRepeated: true },
  ],
  [
    'cline',
    'PreToolUse',
    'before-edit',
    {
      clineVersion: '3.36.0',
      hookName: 'PreToolUse',
      timestamp: '1736654400000',
      taskId: 'task-9',
      workspaceRoots: ['/repo'],
      userId: 'u',
      preToolUse: { toolName: 'write_to_file', parameters: { path: 'src/a.ts', content: 'x' } },
    },
    { session: 'task-9', folder: '/repo', paths: ['/repo/src/a.ts'] },
  ],
]

it.each(INPUTS)('the input of %s is understood: %s', (name, _, event, input, expected) => {
  expect(parseCall(input, event, host(name), WORLD)).toMatchObject(expected)
})

const DEEP = `/${'a/'.repeat(100_000)}`

describe('input that makes no sense', () => {
  const NONSENSE: readonly unknown[] = [
    undefined,
    null,
    0,
    'text',
    [],
    [[[]]],
    {},
    { session_id: 7, cwd: 7, tool_name: 7, tool_input: 7 },
    { session_id: {}, cwd: [], tool_name: {}, tool_input: [null, { path: null }] },
    { session_id: 'x'.repeat(5000), tool_name: 'Edit', tool_input: { file_path: '' } },
    { workspace_roots: {}, preToolUse: 'x', toolArgs: '{"path":' },
    { __proto__: null, constructor: 'x', tool_input: { file_path: 'a\0b' } },
    // Looking for a project in each folder above would take minutes.
    { cwd: DEEP, directory: DEEP, workspace_roots: [DEEP], workspaceRoots: [DEEP] },
  ]

  it('is taken by every host for every event, and names neither a file nor a folder [host-input-nonsense]', () => {
    for (const each of Object.values(HOOK_HOSTS))
      for (const event of HOOK_EVENTS)
        for (const input of NONSENSE)
          expect(parseCall(input, event, each, WORLD)).toMatchObject({
            session: undefined,
            folder: resolve('/started/here'),
            paths: [],
          })
  })

  it('a call names a hundred files at most', () => {
    const files = Array.from({ length: 5000 }, (_, at) => `f${at}.ts`)
    expect(editedPaths({ files })).toHaveLength(100)
  })
})

it('the session is known from the environment where the input has none', () => {
  const env = { CLAUDE_CODE_SESSION_ID: 'from-env' }
  expect(parseCall({}, 'stop', host('claude-code'), { cwd: '/', env }).session).toBe('from-env')
})

it('a tool that only looks at a file edits nothing', () => {
  expect(editedPaths({ command: 'view', path: '/repo/a.ts' })).toEqual([])
  expect(editedPaths({ command: 'create', path: '/repo/a.ts' })).toEqual(['/repo/a.ts'])
})
