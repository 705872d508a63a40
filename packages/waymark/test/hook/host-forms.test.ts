import { expect, it } from 'vitest'
import type { Reply } from '../../src/hook/host/forms.ts'
import { type HookEvent, HOOK_HOSTS } from '../../src/hook/host/hosts.ts'

const REPLIES = {
  'session-start': { kind: 'context', text: 'T' },
  prompt: { kind: 'context', text: 'T' },
  'before-edit': { kind: 'reserved', text: 'T' },
  stop: { kind: 'block', text: 'T' },
} as const satisfies Partial<Record<HookEvent, Reply>>

function answer(name: string, event: keyof typeof REPLIES, isAttended = true): unknown {
  const host = HOOK_HOSTS[name]
  const [native] = host?.events[event] ?? []
  if (host === undefined || native === undefined) return undefined
  const text = host.form(REPLIES[event], { name: native, isAttended })
  return text.startsWith('{') ? JSON.parse(text) : text
}

function context(hookEventName: string) {
  return { hookSpecificOutput: { hookEventName, additionalContext: 'T' } }
}

function permission(permissionDecision: string, hookEventName = 'PreToolUse') {
  return {
    hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason: 'T' },
  }
}

const BLOCK = { decision: 'block', reason: 'T' }
const DENY = { decision: 'deny', reason: 'T' }
const DENIED = { permissionDecision: 'deny', permissionDecisionReason: 'T' }

it.each([
  ['claude-code', 'T', 'T', permission('ask'), BLOCK],
  ['codex', context('SessionStart'), context('UserPromptSubmit'), permission('deny'), BLOCK],
  ['gemini', context('SessionStart'), context('BeforeAgent'), DENY, DENY],
  ['qwen', context('SessionStart'), context('UserPromptSubmit'), permission('ask'), BLOCK],
  [
    'copilot',
    { ...context('SessionStart'), additionalContext: 'T' },
    { ...context('UserPromptSubmit'), additionalContext: 'T' },
    { ...DENIED, hookSpecificOutput: { hookEventName: 'PreToolUse', ...DENIED } },
    { ...BLOCK, hookSpecificOutput: { hookEventName: 'Stop', ...BLOCK } },
  ],
  [
    'cursor',
    { additional_context: 'T' },
    undefined,
    { permission: 'deny', user_message: 'T', agent_message: 'T' },
    { followup_message: 'T' },
  ],
  [
    'cline',
    { cancel: false, contextModification: 'T' },
    { cancel: false, contextModification: 'T' },
    { cancel: false, contextModification: 'T' },
    undefined,
  ],
  ['opencode', { context: 'T' }, { context: 'T' }, { reserved: 'T' }, { block: 'T' }],
  ['kilo', { context: 'T' }, { context: 'T' }, { reserved: 'T' }, { block: 'T' }],
])('%s is answered in its own form', (host, start, prompt, edit, stop) => {
  expect({
    start: answer(host, 'session-start'),
    prompt: answer(host, 'prompt'),
    edit: answer(host, 'before-edit'),
    stop: answer(host, 'stop'),
  }).toEqual({ start, prompt, edit, stop })
})

it('where no person can be asked, an edit of a reserved file is denied', () => {
  expect(answer('claude-code', 'before-edit', false)).toEqual(permission('deny'))
  expect(answer('qwen', 'before-edit', false)).toEqual(permission('deny'))
})
