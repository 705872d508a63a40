import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createTask } from '../../src/task/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

describe('waymark prime', () => {
  it('is silent and successful outside a project', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    const terminal = createTestTerminal(folder)
    expect(await runCli(['prime', '--hook', 'codex'], terminal)).toBe(0)
    expect(terminal.output).toEqual({ out: '', err: '' })
    rmSync(folder, { recursive: true })
  })

  it('does not keep a session from beginning when its options are wrong', async () => {
    await using project = await setup()
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['prime', '--max-tokens', 'many'], terminal)).toBe(0)
    expect(terminal.output.out).toBe('')
    expect(terminal.output.err).toMatch(/^waymark prime: max_tokens/)
  })

  it.each([
    ['claude-code', (out: string) => out],
    ['codex', (out: string) => JSON.parse(out).hookSpecificOutput.additionalContext as string],
    ['gemini', (out: string) => JSON.parse(out).hookSpecificOutput.additionalContext as string],
    ['copilot', (out: string) => JSON.parse(out).additionalContext as string],
    ['cursor', (out: string) => JSON.parse(out).additional_context as string],
  ])('speaks to %s as its hooks expect', async (hook, read) => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Write the store' })
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['prime', '--hook', hook], terminal)).toBe(0)
    expect(read(terminal.output.out)).toContain('Claim #1.')
  })

  it('says the same as brief', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Write the store' })
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['brief'], terminal)).toBe(0)
    expect(terminal.output.out).toMatch(/^Claim #1\.\nReady:\n- #1 Write the store/)
  })
})
